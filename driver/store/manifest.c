// Manifests as files: <cache_dir>/manifests/<2 hex>/<62 hex>, with a version in front and a checksum at
// the end. Strings of a loaded manifest point into the file's bytes in the arena.
#include "store/manifest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfg/owner.h"
#include "nvcc/words.h"
#include "os/file.h"
#include "store/dependency.h"
#include "store/used.h"
#include "store/wire.h"

#define MAGIC "ks-manifest 4\n"
#define LARGEST_MANIFEST ((size_t)16 << 20)

extern char **environ;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// What besides the command line decides which files are read, or what they mean.
static void hash_environment(struct ks_arena *arena, struct ks_hash *hash)
{
    static const char *const names[] = {
        "NVCC_PREPEND_FLAGS=", "NVCC_APPEND_FLAGS=", "NVCC_CCBIN=",        "CPATH=",
        "C_INCLUDE_PATH=",     "CPLUS_INCLUDE_PATH=", "GCC_EXEC_PREFIX=",  "COMPILER_PATH=",
        "SOURCE_DATE_EPOCH=",  "PATH=",               "CUDA_",
        "INCLUDES=",           "SYSTEM_INCLUDES=", // nvcc.profile appends to them
    };
    struct ks_strv found = {0};
    for (char **at = environ; at != NULL && *at != NULL; at++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (ks_starts_with(*at, names[i])) {
                ks_strv_add(arena, &found, *at);
                break;
            }
    if (found.len > 0)
        qsort(found.at, found.len, sizeof *found.at, by_text);
    for (size_t i = 0; i < found.len; i++)
        ks_hash_text(hash, "env", found.at[i]);
}

struct ks_digest ks_manifest_name(const struct ks_cmdline *cmd, const struct ks_toolkit *toolkit,
                                  const char *side_file)
{
    struct ks_arena arena = {0};
    struct ks_hash hash;
    struct ks_digest name;
    struct ks_words words = {0};
    char cwd[4096];
    ks_hash_begin(&hash, "manifest");
    for (size_t i = 1; i < cmd->argc; i++)
        ks_hash_text(&hash, "word", cmd->argv[i]);
    // Again with what options files and the environment put in.
    ks_words_read(&arena, cmd->argv, cmd->argc, &words);
    for (size_t i = 0; i < words.text.len; i++)
        ks_hash_text(&hash, "read", words.text.at[i]);
    ks_hash_text(&hash, "doubt", words.doubt);
    ks_hash_text(&hash, "cwd", getcwd(cwd, sizeof cwd));
    hash_environment(&arena, &hash);
    ks_hash_text(&hash, "nvcc", toolkit->nvcc);
    ks_hash_text(&hash, "version", toolkit->version);
    struct ks_slice side = {0};
    if (side_file != NULL &&
        ks_file_read(&arena, side_file, LARGEST_MANIFEST, &side, NULL) == KS_OK)
        ks_hash_field(&hash, "side file", side.at, side.len);
    else
        ks_hash_text(&hash, "side file", side_file);
    ks_hash_end(&hash, &name);
    ks_arena_free(&arena);
    return name;
}

static const char *manifest_path(struct ks_arena *arena, const struct ks_config *config,
                                 const struct ks_digest *name)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(name, hex);
    return ks_arena_printf(arena, "%s/manifests/%.2s/%s", config->cache_dir, hex, hex + 2);
}

static void put_type(struct ks_buf *out, const struct ks_type *type)
{
    ks_wire_put_text(out, type->text);
    ks_wire_put_int(out, type->pointer);
    ks_wire_put_int(out, type->pointee_const);
    ks_wire_put_int(out, type->restrict_);
    ks_wire_put_int(out, type->elem.scalar);
    ks_wire_put_int(out, type->elem.lanes);
    ks_wire_put_int(out, (int64_t)type->elem.size);
    ks_wire_put_int(out, (int64_t)type->elem.align);
}

static void put_signature(struct ks_buf *out, const struct ks_signature *signature)
{
    ks_wire_put_int(out, signature != NULL);
    if (signature == NULL)
        return;
    ks_wire_put_text(out, signature->registered);
    ks_wire_put_text(out, signature->qualified);
    ks_wire_put_text(out, signature->instance);
    ks_wire_put_int(out, (int64_t)signature->n_template_args);
    for (size_t i = 0; i < signature->n_template_args; i++)
        ks_wire_put_text(out, signature->template_args[i]);
    ks_wire_put_int(out, (int64_t)signature->n_params);
    for (size_t i = 0; i < signature->n_params; i++) {
        put_type(out, &signature->params[i]);
        ks_wire_put_int(out, (int64_t)signature->offsets[i]);
    }
}

static void put_dependency(struct ks_buf *out, const char *path, const struct ks_dependency *mark)
{
    ks_wire_put_text(out, path);
    ks_wire_put_int(out, mark->by_stat);
    if (!mark->by_stat) {
        ks_wire_put(out, &mark->digest, sizeof mark->digest);
        return;
    }
    ks_wire_put_int(out, mark->size);
    ks_wire_put_int(out, mark->seconds);
    ks_wire_put_int(out, mark->nanoseconds);
    ks_wire_put_int(out, mark->inode);
    ks_wire_put_int(out, mark->device);
}

static void put_proof(struct ks_buf *out, const struct ks_manifest_proof *proof)
{
    ks_wire_put(out, &proof->set, sizeof proof->set);
    ks_wire_put_text(out, ks_reason_name(proof->outcome));
    ks_wire_put_text(out, proof->text);
    ks_wire_put_int(out, (int64_t)proof->n_drops);
    for (size_t i = 0; i < proof->n_drops; i++) {
        const struct ks_manifest_drop *drop = &proof->drops[i];
        ks_wire_put(out, &drop->substitution, sizeof drop->substitution);
        ks_wire_put_text(out, ks_reason_name(drop->reason));
        ks_wire_put_text(out, drop->text);
    }
}

static enum ks_status put_manifest(struct ks_arena *arena, struct ks_buf *out,
                                   const struct ks_digest *name,
                                   const struct ks_manifest *manifest, struct ks_err *err)
{
    const struct ks_strv *paths = &manifest->dependencies;
    struct ks_dependency *marks = KS_NEW_ARRAY(arena, struct ks_dependency, paths->len);
    char cwd[4096];
    bool probing;
    KS_TRY(ks_dependencies_mark(paths, marks, &probing, err));
    ks_buf_puts(out, MAGIC);
    ks_wire_put(out, name, sizeof *name);
    ks_wire_put_text(out, getcwd(cwd, sizeof cwd)); // paths below may be relative to it
    ks_wire_put_text(out, manifest->shadow);
    ks_wire_put_int(out, probing);
    ks_wire_put_int(out, (int64_t)paths->len);
    for (size_t i = 0; i < paths->len; i++)
        put_dependency(out, paths->at[i], &marks[i]);
    ks_wire_put_int(out, (int64_t)manifest->n_kernels);
    for (size_t i = 0; i < manifest->n_kernels; i++) {
        const struct ks_manifest_kernel *kernel = &manifest->kernels[i];
        put_signature(out, kernel->signature);
        ks_wire_put_text(out, kernel->file);
        ks_wire_put_text(out, kernel->decl_qualified);
        ks_wire_put_int(out, kernel->line);
        ks_wire_put_int(out, kernel->arch);
        ks_wire_put(out, &kernel->key, sizeof kernel->key);
        ks_wire_put_text(out, ks_reason_name(kernel->reason)); // numbers may change with ks
        ks_wire_put_text(out, kernel->text);
    }
    ks_wire_put_int(out, (int64_t)manifest->n_proved);
    for (size_t i = 0; i < manifest->n_proved; i++)
        put_proof(out, &manifest->proved[i]);
    struct ks_digest checksum = ks_digest_of("manifest file", ks_buf_text(out), out->len);
    ks_wire_put(out, &checksum, sizeof checksum);
    return ks_buf_check(out, "the manifest", err);
}

enum ks_status ks_manifest_save(const struct ks_config *config, const struct ks_digest *name,
                                const struct ks_manifest *manifest, struct ks_err *err)
{
    if (config->cache_dir == NULL)
        KS_FAIL(err, KS_E_IO, "no cache directory for manifests; set KS_CACHE_DIR");
    if (config->readonly)
        KS_FAIL(err, KS_E_IO, "%s: not written, the configuration is read-only (KS_READONLY)",
                config->cache_dir);
    struct ks_arena arena = {0};
    struct ks_buf out = KS_BUF(LARGEST_MANIFEST);
    const char *path = manifest_path(&arena, config, name);
    enum ks_status status = put_manifest(&arena, &out, name, manifest, err);
    if (status == KS_OK)
        status = ks_dir_make(ks_path_dir(&arena, path), err);
    if (status == KS_OK)
        status = ks_file_write(path, out.data, out.len, false, 0, err);
    ks_buf_free(&out);
    ks_arena_free(&arena);
    return status;
}

static enum ks_reason get_reason(struct ks_wire *wire)
{
    enum ks_reason reason = ks_reason_parse(ks_wire_text(wire));
    if (reason == KS_R_COUNT)
        wire->failed = true;
    return reason;
}

static struct ks_type get_type(struct ks_wire *wire)
{
    struct ks_type type = {.text = ks_wire_text(wire)};
    type.pointer = ks_wire_int(wire) != 0;
    type.pointee_const = ks_wire_int(wire) != 0;
    type.restrict_ = ks_wire_int(wire) != 0;
    type.elem.scalar = (enum ks_scalar)ks_wire_int(wire);
    type.elem.lanes = (int)ks_wire_int(wire);
    type.elem.size = (size_t)ks_wire_int(wire);
    type.elem.align = (size_t)ks_wire_int(wire);
    return type;
}

static struct ks_signature *get_signature(struct ks_arena *arena, struct ks_wire *wire)
{
    if (ks_wire_int(wire) == 0)
        return NULL;
    struct ks_signature *signature = KS_NEW(arena, struct ks_signature);
    signature->registered = ks_wire_text(wire);
    signature->qualified = ks_wire_text(wire);
    signature->instance = ks_wire_text(wire);
    signature->n_template_args = ks_wire_count(wire, sizeof(int64_t) + 1);
    signature->template_args = KS_NEW_ARRAY(arena, const char *, signature->n_template_args);
    for (size_t i = 0; i < signature->n_template_args; i++)
        signature->template_args[i] = ks_wire_text(wire);
    signature->n_params = ks_wire_count(wire, 9 * sizeof(int64_t) + 1);
    signature->params = KS_NEW_ARRAY(arena, struct ks_type, signature->n_params);
    signature->offsets = KS_NEW_ARRAY(arena, size_t, signature->n_params);
    for (size_t i = 0; i < signature->n_params; i++) {
        signature->params[i] = get_type(wire);
        signature->offsets[i] = (size_t)ks_wire_int(wire);
    }
    return signature;
}

// `cwd` NULL: where this process is, which is where the manifest was made, by its name.
static enum ks_status get_dependencies(struct ks_arena *arena, struct ks_wire *wire,
                                       const char *cwd, struct ks_manifest *manifest, bool *live,
                                       struct ks_err *err)
{
    size_t n = ks_wire_count(wire, 2 * sizeof(int64_t) + 1);
    for (size_t i = 0; i < n && !wire->failed; i++) {
        const char *path = ks_wire_text(wire);
        struct ks_dependency mark = {.by_stat = ks_wire_int(wire) != 0};
        if (mark.by_stat) {
            mark.size = ks_wire_int(wire);
            mark.seconds = ks_wire_int(wire);
            mark.nanoseconds = ks_wire_int(wire);
            mark.inode = ks_wire_int(wire);
            mark.device = ks_wire_int(wire);
        } else {
            ks_wire_get(wire, &mark.digest, sizeof mark.digest);
        }
        if (wire->failed)
            break;
        const char *at = cwd == NULL ? path : ks_path_join(arena, cwd, path);
        if (*live && !ks_dependency_holds(at, &mark)) {
            *live = false;
            if (cwd == NULL)
                KS_FAIL(err, KS_E_ABSENT, "%s has changed since the manifest was made", path);
        }
        ks_strv_add(arena, &manifest->dependencies, path);
    }
    return KS_OK;
}

static void get_proof(struct ks_arena *arena, struct ks_wire *wire,
                      struct ks_manifest_proof *proof)
{
    ks_wire_get(wire, &proof->set, sizeof proof->set);
    proof->outcome = get_reason(wire);
    proof->text = ks_wire_text(wire);
    proof->n_drops = ks_wire_count(wire, KS_HASH_BYTES);
    proof->drops = KS_NEW_ARRAY(arena, struct ks_manifest_drop, proof->n_drops);
    for (size_t i = 0; i < proof->n_drops && !wire->failed; i++) {
        struct ks_manifest_drop *drop = &proof->drops[i];
        ks_wire_get(wire, &drop->substitution, sizeof drop->substitution);
        drop->reason = get_reason(wire);
        drop->text = ks_wire_text(wire);
    }
}

static void get_rest(struct ks_arena *arena, struct ks_wire *wire, struct ks_manifest *manifest)
{
    manifest->n_kernels = ks_wire_count(wire, 64);
    manifest->kernels = KS_NEW_ARRAY(arena, struct ks_manifest_kernel, manifest->n_kernels);
    for (size_t i = 0; i < manifest->n_kernels && !wire->failed; i++) {
        struct ks_manifest_kernel *kernel = &manifest->kernels[i];
        kernel->signature = get_signature(arena, wire);
        kernel->file = ks_wire_text(wire);
        kernel->decl_qualified = ks_wire_text(wire);
        kernel->line = (int)ks_wire_int(wire);
        kernel->arch = (int)ks_wire_int(wire);
        ks_wire_get(wire, &kernel->key, sizeof kernel->key);
        kernel->reason = get_reason(wire);
        kernel->text = ks_wire_text(wire);
    }
    manifest->n_proved = ks_wire_count(wire, KS_HASH_BYTES);
    manifest->proved = KS_NEW_ARRAY(arena, struct ks_manifest_proof, manifest->n_proved);
    for (size_t i = 0; i < manifest->n_proved && !wire->failed; i++)
        get_proof(arena, wire, &manifest->proved[i]);
}

// A cache may be shared with others, who could say of one kernel that it is another: for a compile a
// manifest is nobody's word but the user's own. (Variants are signed.)
static bool read_own(struct ks_arena *arena, const char *path, struct ks_slice *out)
{
    struct stat st;
    int fd = ks_file_open_at(AT_FDCWD, path, &st);
    if (fd < 0)
        return false;
    ssize_t n = -1;
    if (ks_owner_problem(&st, geteuid()) == NULL && (uint64_t)st.st_size <= LARGEST_MANIFEST) {
        char *data = ks_arena_alloc(arena, (size_t)st.st_size + 1);
        n = ks_fd_read(fd, data, (size_t)st.st_size);
        *out = (struct ks_slice){data, n < 0 ? 0 : (size_t)n};
    }
    close(fd);
    return n >= 0;
}

// With a name it must be the manifest's own, the user's own, and all its files must be as they were;
// without one it is read whoever wrote it and whatever became of them.
static enum ks_status read_manifest(struct ks_arena *arena, const char *path,
                                    const struct ks_digest *name, struct ks_manifest *manifest,
                                    bool *live, struct ks_err *err)
{
    struct ks_slice file;
    struct ks_digest own, found;
    if (name != NULL ? !read_own(arena, path, &file)
                     : ks_file_read(arena, path, LARGEST_MANIFEST, &file, NULL) != KS_OK)
        KS_FAIL(err, KS_E_ABSENT, "%s: no manifest", path);
    size_t magic = strlen(MAGIC);
    if (file.len < magic + 2 * sizeof own || memcmp(file.at, MAGIC, magic) != 0)
        KS_FAIL(err, KS_E_ABSENT, "%s: damaged, or of another version", path);
    size_t body = file.len - sizeof found;
    memcpy(&found, file.at + body, sizeof found);
    struct ks_digest digest = ks_digest_of("manifest file", file.at, body);
    struct ks_wire wire = {file.at + magic, file.at + body, false};
    ks_wire_get(&wire, &own, sizeof own);
    if (!ks_digest_eq(&digest, &found) || (name != NULL && !ks_digest_eq(&own, name)))
        KS_FAIL(err, KS_E_ABSENT, "%s: damaged", path);
    const char *cwd = ks_wire_text(&wire);
    manifest->shadow = ks_wire_text(&wire);
    manifest->probing = ks_wire_int(&wire) != 0;
    *live = true;
    KS_TRY(get_dependencies(arena, &wire, name != NULL ? NULL : cwd, manifest, live, err));
    get_rest(arena, &wire, manifest);
    if (wire.failed || wire.at != wire.end || manifest->dependencies.len == 0)
        KS_FAIL(err, KS_E_ABSENT, "%s: damaged", path);
    return KS_OK;
}

enum ks_status ks_manifest_load(struct ks_arena *arena, const struct ks_config *config,
                                const struct ks_digest *name, struct ks_manifest *manifest,
                                struct ks_err *err)
{
    *manifest = (struct ks_manifest){0};
    if (config->cache_dir == NULL)
        KS_FAIL(err, KS_E_ABSENT, "no cache directory for manifests");
    bool live;
    const char *path = manifest_path(arena, config, name);
    enum ks_status status = read_manifest(arena, path, name, manifest, &live, err);
    if (status != KS_OK)
        *manifest = (struct ks_manifest){0};
    else if (!config->readonly)
        ks_used_note(path);
    return status;
}

static void visit_folder(const char *dir,
                         void (*visit)(void *context, const char *path,
                                       const struct ks_manifest *manifest, bool live),
                         void *context)
{
    struct ks_arena arena = {0};
    struct ks_strv names = {0};
    (void)ks_dir_list(&arena, dir, &names, NULL);
    for (size_t i = 0; i < names.len; i++) {
        struct ks_arena one = {0};
        struct ks_manifest manifest = {0};
        bool live = false;
        const char *path = ks_path_join(&one, dir, names.at[i]);
        enum ks_status status = read_manifest(&one, path, NULL, &manifest, &live, NULL);
        visit(context, path, status == KS_OK ? &manifest : NULL, status == KS_OK && live);
        ks_arena_free(&one);
    }
    ks_arena_free(&arena);
}

void ks_manifest_each(const struct ks_config *config,
                      void (*visit)(void *context, const char *path,
                                    const struct ks_manifest *manifest, bool live),
                      void *context)
{
    struct ks_arena arena = {0};
    struct ks_strv folders = {0};
    if (config->cache_dir == NULL)
        return;
    const char *root = ks_path_join(&arena, config->cache_dir, "manifests");
    (void)ks_dir_list(&arena, root, &folders, NULL);
    for (size_t i = 0; i < folders.len; i++)
        visit_folder(ks_path_join(&arena, root, folders.at[i]), visit, context);
    ks_arena_free(&arena);
}
