#include "nvcc/toolkit.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fmt/hash.h"
#include "os/file.h"
#include "os/proc.h"

#define MAX_CACHE_FILE 16384
#define VERSION_SECONDS 30.0

// Ourselves, under whatever name: running that as "the real nvcc" would never end.
static bool is_ours(struct ks_arena *arena, const char *path)
{
    struct stat self, other;
    if (stat(path, &other) != 0)
        return false;
    if (stat("/proc/self/exe", &self) == 0 && self.st_dev == other.st_dev &&
        self.st_ino == other.st_ino)
        return true;
    const char *real = ks_path_real(arena, path);
    return real != NULL && strcmp(ks_path_base(real), "ks-nvcc") == 0;
}

// Ourselves, or one of the programs `led_back`, which ended here again.
static bool is_no_nvcc(struct ks_arena *arena, const char *path, const char *led_back)
{
    const char *real = led_back == NULL ? NULL : ks_path_real(arena, path);
    const char *names[] = {path, real};
    for (const char *at = led_back; at != NULL && *at != '\0';) {
        struct ks_slice one = {at, strcspn(at, ":")};
        for (size_t i = 0; i < 2; i++)
            if (names[i] != NULL && ks_slice_eq(one, names[i]))
                return true;
        at += one.len + (at[one.len] == ':');
    }
    return is_ours(arena, path);
}

// Where that cannot be told (an error of the disk, say), execve(2) will.
static bool is_program(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ENAMETOOLONG;
    return S_ISREG(st.st_mode) && (access(path, X_OK) == 0 || errno != EACCES);
}

// The first program `name` on PATH that may be nvcc.
static const char *search_path(struct ks_arena *arena, const char *name, const char *led_back)
{
    const char *at = getenv("PATH");
    while (at != NULL && *at != '\0') {
        size_t len = strcspn(at, ":");
        const char *dir = len == 0 ? "." : ks_arena_strndup(arena, at, len);
        const char *path = ks_path_join(arena, dir, name);
        if (is_program(path) && !is_no_nvcc(arena, path, led_back))
            return path;
        at += len;
        at += *at == ':';
    }
    return NULL;
}

static const char *below(struct ks_arena *arena, const char *root, const char *led_back)
{
    if (root == NULL || root[0] == '\0')
        return NULL;
    const char *path = ks_path_join(arena, root, "bin/nvcc");
    return is_program(path) && !is_no_nvcc(arena, path, led_back) ? path : NULL;
}

static enum ks_status find_named(struct ks_arena *arena, const char *name, const char **path,
                                 struct ks_err *err)
{
    *path = strchr(name, '/') != NULL ? name : search_path(arena, name, NULL);
    if (*path == NULL || !is_program(*path))
        KS_FAIL(err, KS_E_USER,
                "the real nvcc is set to %s, which is no program; set KS_NVCC_REAL to the CUDA "
                "toolkit's nvcc",
                name);
    if (is_ours(arena, *path))
        KS_FAIL(err, KS_E_USER,
                "the real nvcc is set to %s, which is ks-nvcc itself; set KS_NVCC_REAL to the CUDA "
                "toolkit's nvcc",
                name);
    return KS_OK;
}

// Its absence costs no build.
static const char *find_launcher(struct ks_arena *arena, const char *name)
{
    const char *path = strchr(name, '/') != NULL ? name : search_path(arena, name, NULL);
    return path != NULL && is_program(path) && !is_ours(arena, path) ? ks_path_absolute(arena, path)
                                                                     : NULL;
}

static const char *include_dir(struct ks_arena *arena, const char *root)
{
    struct utsname machine;
    const char *name = uname(&machine) == 0 ? machine.machine : "x86_64";
    const char *const candidates[] = {
        "include",
        ks_arena_printf(arena, "targets/%s-linux/include", name),
        "targets/sbsa-linux/include",
    };
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        const char *dir = ks_path_join(arena, root, candidates[i]);
        if (ks_file_exists(ks_path_join(arena, dir, "cuda_runtime.h")))
            return dir;
    }
    return NULL;
}

enum ks_status ks_toolkit_find(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_toolkit *toolkit, struct ks_err *err)
{
    const char *path = NULL, *led_back = config->led_back;
    if (config->real_nvcc != NULL)
        KS_TRY(find_named(arena, config->real_nvcc, &path, err));
    if (path == NULL)
        path = below(arena, getenv("CUDA_HOME"), led_back);
    if (path == NULL)
        path = below(arena, getenv("CUDA_PATH"), led_back);
    if (path == NULL)
        path = search_path(arena, "nvcc", led_back);
    if (path == NULL)
        path = below(arena, "/usr/local/cuda", led_back);
    if (path == NULL)
        KS_FAIL(err, KS_E_ABSENT,
                "no nvcc found: install the CUDA toolkit, or set CUDA_HOME to its "
                "folder or KS_NVCC_REAL to its nvcc");

    path = ks_path_absolute(arena, path);
    // nvcc finds nvcc.profile beside argv[0] and follows no link; a link that stands for another
    // program (ccache) lives by its own name. A link to the toolkit's folder stays: nvcc writes the
    // path by which it was called into depfiles, messages and __FILE__.
    bool is_nvcc = ks_file_exists(ks_path_join(arena, ks_path_dir(arena, path), "nvcc.profile"));
    const char *real = is_nvcc ? path : ks_path_real(arena, path);
    if (!is_nvcc)
        is_nvcc = real != NULL && strcmp(ks_path_base(real), ks_path_base(path)) == 0;
    *toolkit = (struct ks_toolkit){.nvcc = is_nvcc ? real : path};
    toolkit->bin_dir = ks_path_dir(arena, toolkit->nvcc);
    if (config->launcher != NULL)
        toolkit->launcher = find_launcher(arena, config->launcher);
    if (is_nvcc) {
        const char *root = ks_path_dir(arena, toolkit->bin_dir);
        toolkit->include_dir = include_dir(arena, root);
        if (toolkit->include_dir != NULL)
            toolkit->root = root;
    }
    return KS_OK;
}

const char *const *ks_toolkit_command(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                                      const char *const *argv)
{
    if (toolkit->launcher == NULL)
        return argv;
    struct ks_strv list = {0};
    ks_strv_add(arena, &list, toolkit->launcher);
    for (; *argv != NULL; argv++)
        ks_strv_add(arena, &list, *argv);
    return list.at;
}

static const char *guess_in(const char *dir, size_t len, const char *name)
{
    static char path[PATH_MAX];
    struct stat self, st;
    if (dir == NULL || len + strlen(name) >= sizeof path)
        return NULL;
    memcpy(path, dir, len);
    strcpy(path + len, name);
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || access(path, X_OK) != 0 ||
        (stat("/proc/self/exe", &self) == 0 && self.st_dev == st.st_dev &&
         self.st_ino == st.st_ino))
        return NULL;
    return path;
}

const char *ks_toolkit_guess(void)
{
    static const char *const roots[] = {"CUDA_HOME", "CUDA_PATH"};
    const char *set = getenv("KS_NVCC_REAL"), *at = getenv("PATH"), *path = NULL;
    if (set != NULL && strchr(set, '/') != NULL)
        path = guess_in(set, strlen(set), "");
    for (size_t i = 0; path == NULL && i < sizeof roots / sizeof *roots; i++) {
        const char *root = getenv(roots[i]);
        path = guess_in(root, root == NULL ? 0 : strlen(root), "/bin/nvcc");
    }
    while (path == NULL && at != NULL && *at != '\0') {
        size_t len = strcspn(at, ":");
        path = guess_in(at, len, "/nvcc");
        at += len + (at[len] == ':');
    }
    return path != NULL ? path : guess_in("", 0, "/usr/local/cuda/bin/nvcc");
}

// One line "path size mtime inode"; false if there is no such file.
static bool add_identity(struct ks_buf *buf, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    ks_buf_printf(buf, "%s %lld %lld.%09ld %llu\n", path, (long long)st.st_size,
                  (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (unsigned long long)st.st_ino);
    return true;
}

// What the version depends on; false where it cannot be told from files (a launcher in between).
static bool toolkit_identity(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                             struct ks_buf *buf)
{
    if (toolkit->root == NULL)
        return false;
    ks_buf_puts(buf, "ks toolkit 1\n");
    return add_identity(buf, toolkit->nvcc) &&
           add_identity(buf, ks_path_join(arena, toolkit->root, "nvvm/bin/cicc")) &&
           add_identity(buf, ks_path_join(arena, toolkit->bin_dir, "ptxas")) && !buf->failed;
}

// Length of "13.0.88" at `text`: three numbers, nothing but white space behind them.
static size_t version_length(const char *text)
{
    size_t len = strspn(text, "0123456789."), dots = 0;
    for (size_t i = 0; i < len; i++) {
        bool dot = text[i] == '.';
        if (dot && (i == 0 || i + 1 == len || text[i - 1] == '.'))
            return 0;
        dots += dot;
    }
    return dots == 2 && (text[len] == '\0' || isspace((unsigned char)text[len])) ? len : 0;
}

static enum ks_status ask_version(struct ks_arena *arena, struct ks_toolkit *toolkit,
                                  struct ks_err *err)
{
    const char *argv[] = {toolkit->nvcc, "--version", NULL};
    struct ks_proc_options options = {.timeout_seconds = VERSION_SECONDS,
                                      .max_output = 65536,
                                      .capture_stdout = true,
                                      .capture_stderr = true,
                                      .null_stdin = true};
    struct ks_proc_result result;
    KS_TRY(ks_proc_run(arena, argv, &options, &result, err));
    const char *text = ks_arena_strndup(arena, result.out.at, result.out.len);
    const char *release = strstr(text, "release ");
    const char *version = release == NULL ? NULL : strstr(release, ", V");
    size_t len = version == NULL ? 0 : version_length(version + 3);
    if (result.exit_code != 0 || strstr(text, "Cuda compiler driver") == NULL || len == 0)
        KS_FAIL(err, KS_E_CHILD, "%s --version does not answer like an nvcc (exit %d)",
                toolkit->nvcc, result.exit_code);
    toolkit->version = ks_arena_strndup(arena, version + 3, len);
    return KS_OK;
}

static const char *cached_version(struct ks_arena *arena, const char *file, const char *identity)
{
    struct ks_slice text;
    if (ks_file_read(arena, file, MAX_CACHE_FILE, &text, NULL) != KS_OK ||
        !ks_starts_with(text.at, identity))
        return NULL;
    const char *version = text.at + strlen(identity);
    size_t len = version_length(version);
    return len == 0 || version[len] != '\n' ? NULL : ks_arena_strndup(arena, version, len);
}

bool ks_toolkit_dispatches(const struct ks_toolkit *toolkit)
{
    return strtol(toolkit->version, NULL, 10) >= 13;
}

enum ks_status ks_toolkit_version(struct ks_arena *arena, const struct ks_config *config,
                                  struct ks_toolkit *toolkit, struct ks_err *err)
{
    if (toolkit->version != NULL)
        return KS_OK;
    struct ks_buf identity = KS_BUF(MAX_CACHE_FILE);
    const char *file = NULL;
    if (config->cache_dir != NULL && toolkit_identity(arena, toolkit, &identity)) {
        struct ks_digest digest = ks_digest_of("toolkit", toolkit->nvcc, strlen(toolkit->nvcc));
        char hex[KS_HASH_TEXT];
        ks_digest_hex(&digest, hex);
        file = ks_arena_printf(arena, "%s/toolkit/%.16s", config->cache_dir, hex);
        toolkit->version = cached_version(arena, file, identity.data);
    }
    enum ks_status status = KS_OK;
    if (toolkit->version == NULL) {
        status = ask_version(arena, toolkit, err);
        // A cache that cannot be written costs a call next time, no more.
        if (status == KS_OK && file != NULL && !config->readonly &&
            ks_dir_make(ks_path_dir(arena, file), NULL) == KS_OK) {
            ks_buf_printf(&identity, "%s\n", toolkit->version);
            if (!identity.failed)
                (void)ks_file_write(file, identity.data, identity.len, false, 0, NULL);
        }
    }
    ks_buf_free(&identity);
    return status;
}
