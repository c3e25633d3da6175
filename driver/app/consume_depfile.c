// Dependency files on the consume path: what a compile read, and what the build is told of it.
#include "app/consume.h"

#include <string.h>
#include <sys/stat.h>

#include "nvcc/depfile.h"
#include "nvcc/host_dirs.h"
#include "nvcc/linemarker.h"
#include "os/file.h"

#define DEPFILE_MAX (64u << 20)
#define PREPROCESSED_MAX (512u << 20)

// What no depfile says stands in the preprocessed text that --keep leaves.
static enum ks_status read_kept(struct consume *c, const struct ks_tu_compile *compile,
                                struct ks_strv *list, struct ks_err *err)
{
    struct ks_strv names = {0};
    KS_TRY(ks_dir_list(c->arena, compile->keep_dir, &names, err));
    for (size_t i = 0; i < names.len; i++) {
        struct ks_slice text;
        if (!ks_ends_with(names.at[i], ".ii"))
            continue;
        struct ks_arena scratch = {0}; // a megabyte for each architecture
        enum ks_status status =
            ks_file_read(&scratch, ks_path_join(c->arena, compile->keep_dir, names.at[i]),
                         PREPROCESSED_MAX, &text, err);
        if (status == KS_OK)
            ks_line_markers(c->arena, text, list);
        ks_arena_free(&scratch);
        KS_TRY(status);
    }
    if (list->len < 2) // every unit includes the toolkit's headers
        KS_FAIL(err, KS_E_ABSENT, "nvcc left no preprocessed text in %s", compile->keep_dir);
    return KS_OK;
}

// All files that a compile of `source` read.
static enum ks_status read_list(struct consume *c, const struct ks_tu_compile *compile,
                                const char *source, struct ks_strv *list, struct ks_err *err)
{
    struct ks_slice text;
    struct ks_depfile parsed = {0};
    if (c->cmd->depfile_mmd || compile->depfile == NULL) {
        ks_strv_add(c->arena, list, source);
        return read_kept(c, compile, list, err);
    }
    KS_TRY(ks_file_read(c->arena, compile->depfile, DEPFILE_MAX, &text, err));
    KS_TRY(ks_depfile_parse(c->arena, text, &parsed, err));
    *list = parsed.prerequisites;
    return KS_OK;
}

enum ks_status consume_take_dependencies(struct consume *c, const struct ks_tu_compile *compile,
                                         struct ks_err *err)
{
    c->manifest.dependencies = (struct ks_strv){0};
    return read_list(c, compile, c->tu.path, &c->manifest.dependencies, err);
}

// The shadow finds a header beside the user's file by -iquote: "./x.h" where the plain compile of a
// file in the current folder says "x.h".
static const char *without_dot(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        for (path += 2; *path == '/'; path++)
            ;
    return path;
}

static bool same_path(const char *a, const char *b)
{
    return strcmp(without_dot(a), without_dot(b)) == 0;
}

// Index of `path` among the known, or their number. Compilers list files in the same order, so the
// place behind the last match is tried first.
static size_t find_known(const struct ks_strv *known, const char *path, size_t guess)
{
    if (guess < known->len && same_path(known->at[guess], path))
        return guess;
    for (size_t i = 0; i < known->len; i++)
        if (same_path(known->at[i], path))
            return i;
    return known->len;
}

static bool lists(const struct ks_strv *known, const char *path)
{
    for (size_t i = 0; i < known->len; i++)
        if (strcmp(known->at[i], path) == 0)
            return true;
    return false;
}

// The plain compile's names for the shadow, and for headers that only the shadow calls "./x.h". nvcc
// takes names from line markers: the shadow's own says the user's file once more.
static size_t plain_names(struct consume *c, struct ks_slice text, const char *shadow,
                          struct ks_depfile_name **names)
{
    const struct ks_strv *known = &c->manifest.dependencies;
    struct ks_depfile seen = {0};
    size_t n = 0;
    if (strchr(c->tu.path, '/') == NULL)
        (void)ks_depfile_parse(c->arena, text, &seen, NULL);
    *names = KS_NEW_ARRAY(c->arena, struct ks_depfile_name, seen.prerequisites.len + 2);
    if (strcmp(shadow, c->tu.path) != 0) {
        (*names)[n++] = (struct ks_depfile_name){shadow, c->tu.path};
        (*names)[n++] = (struct ks_depfile_name){c->tu.path, NULL};
    }
    for (size_t i = 0; i < seen.prerequisites.len; i++) {
        const char *path = seen.prerequisites.at[i], *plain = without_dot(path);
        if (plain != path && !lists(known, path) && lists(known, plain))
            (*names)[n++] = (struct ks_depfile_name){path, plain};
    }
    return n;
}

// nvcc writes through links, and so that a second name stays a name of the same file.
static enum ks_status find_depfile(struct consume *c, const char **path, struct stat *st,
                                   struct ks_err *err)
{
    *path = ks_path_real(c->arena, c->cmd->depfile);
    if (*path == NULL || stat(*path, st) != 0)
        return ks_err_errno(err, "%s", c->cmd->depfile);
    if (st->st_nlink > 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s: has several names", *path);
    return KS_OK;
}

enum ks_status consume_restore_depfile(struct consume *c, struct ks_slice text, struct ks_err *err)
{
    const char *path;
    struct stat st;
    struct ks_slice now;
    KS_TRY(find_depfile(c, &path, &st, err));
    KS_TRY(ks_file_read(c->arena, path, DEPFILE_MAX, &now, err));
    if (now.len == text.len && memcmp(now.at, text.at, now.len) == 0)
        return KS_OK;
    return ks_file_write(path, text.at, text.len, false, st.st_mode & 0777, err);
}

enum ks_status consume_mend_depfile(struct consume *c, const char *shadow, struct ks_err *err)
{
    if (c->cmd->depfile == NULL)
        return KS_OK;
    struct ks_slice text;
    struct stat st;
    const char *path;
    KS_TRY(find_depfile(c, &path, &st, err));
    struct ks_buf out = KS_BUF(DEPFILE_MAX);
    struct ks_depfile_name *names;
    enum ks_status status;
    KS_TRY_GOTO(ks_file_read(c->arena, path, DEPFILE_MAX, &text, err), done);
    size_t n = plain_names(c, text, shadow, &names);
    KS_TRY_GOTO(ks_depfile_repair(text, names, n, c->extra_dependencies.at, &out, err), done);
    KS_TRY_GOTO(ks_file_write(path, out.data, out.len, false, st.st_mode & 0777, err), done);
done:
    ks_buf_free(&out);
    return status;
}

static bool is_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && path[n] == '/';
}

// A variant's own includes come from the toolkit and bring the host's standard headers along, which the
// host compiler is asked for where they are not the system's.
static bool may_be_extra(struct consume *c, const char *path)
{
    bool includes = false;
    for (size_t i = 0; i < c->n_subs; i++)
        includes |= c->subs[i].proposal->n_includes > 0;
    if (!includes)
        return false;
    if ((c->toolkit->root != NULL && ks_starts_with(path, c->toolkit->root)) ||
        ks_starts_with(path, c->toolkit->bin_dir) || ks_starts_with(path, "/usr/"))
        return true;
    const char *real = ks_path_real(c->arena, path);
    if (c->host_dirs.len == 0)
        (void)ks_host_dirs(c->arena, c->toolkit, c->cmd, &c->host_dirs, NULL);
    for (size_t i = 0; real != NULL && i < c->host_dirs.len; i++)
        if (is_below(real, c->host_dirs.at[i]))
            return true;
    return false;
}

bool consume_same_dependencies(struct consume *c, const struct ks_tu_compile *compile,
                               const char *shadow, struct ks_strv *extra)
{
    struct ks_strv seen = {0};
    const struct ks_strv *known = &c->manifest.dependencies;
    if (read_list(c, compile, shadow, &seen, NULL) != KS_OK)
        return false;
    bool *met = KS_NEW_ARRAY(c->arena, bool, known->len + 1);
    size_t guess = 0, n_met = 0;
    for (size_t i = 0; i < seen.len; i++) {
        const char *path = strcmp(seen.at[i], shadow) == 0 ? c->tu.path : seen.at[i];
        size_t at = find_known(known, path, guess);
        if (at < known->len) {
            n_met += !met[at];
            met[at] = true;
            guess = at + 1;
        } else if (extra != NULL && may_be_extra(c, path)) {
            ks_strv_add(c->arena, extra, path);
        } else {
            return false;
        }
    }
    return n_met == known->len;
}
