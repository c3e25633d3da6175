#include "verify/confine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvcc/linemarker.h"
#include "os/file.h"
#include "os/proc.h"

#define TEXT_MAX (256u << 20)
#define FILE_BYTES (INT64_C(1) << 30)    // an nvcc with --keep writes tens of MB for a large unit
#define WRITTEN_BYTES (INT64_C(4) << 30)
#define PROCESSES 128                    // nvcc's own: about ten at once

static const char *home(void)
{
    const char *dir = getenv("HOME");
    return dir != NULL && dir[0] == '/' ? dir : NULL;
}

// A folder that is no user's own whole: neither a home nor anything above one.
static void add_folder(struct ks_arena *arena, struct ks_strv *list, const char *path)
{
    const char *real = ks_path_real(arena, path);
    const char *own = home() != NULL ? ks_path_real(arena, home()) : NULL;
    if (real == NULL || strcmp(real, "/") == 0)
        return;
    size_t n = strlen(real);
    if (own != NULL && strncmp(own, real, n) == 0 && (own[n] == '/' || own[n] == '\0'))
        return;
    ks_strv_add(arena, list, real);
}

static void add_listed(struct ks_arena *arena, struct ks_strv *list, const char *variable)
{
    const char *value = getenv(variable);
    char *save = NULL, *words = ks_arena_strdup(arena, value != NULL ? value : "");
    for (char *word = strtok_r(words, ":", &save); word != NULL; word = strtok_r(NULL, ":", &save))
        if (word[0] == '/')
            add_folder(arena, list, word);
}

static void add_system(struct ks_arena *arena, struct ks_strv *list)
{
    for (size_t i = 0; ks_sandbox_system[i] != NULL; i++)
        ks_strv_add(arena, list, ks_sandbox_system[i]);
    add_listed(arena, list, "LD_LIBRARY_PATH");
    add_listed(arena, list, "KS_SANDBOX_READ");
}

// The installation that a program belongs to: the folder above its bin.
static void add_program(struct ks_arena *arena, struct ks_strv *list, const char *name)
{
    const char *path = strchr(name, '/') != NULL ? name : ks_proc_which(arena, name, NULL);
    const char *real = path != NULL ? ks_path_real(arena, path) : NULL;
    if (real == NULL)
        return;
    ks_strv_add(arena, list, real);
    const char *dir = ks_path_dir(arena, real);
    add_folder(arena, list, strcmp(ks_path_base(dir), "bin") == 0 ? ks_path_dir(arena, dir) : dir);
}

// A toolkit put together of links (Nix, conda, a farm of modules) has its programs elsewhere.
static void add_linked(struct ks_arena *arena, struct ks_strv *list, const char *dir)
{
    struct ks_strv names = {0};
    char to[4096];
    if (ks_dir_list(arena, dir, &names, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < names.len; i++) {
        const char *path = ks_path_join(arena, dir, names.at[i]);
        if (readlink(path, to, sizeof to) > 0)
            ks_strv_add(arena, list, path);
    }
}

static void add_tools(struct ks_arena *arena, struct ks_strv *list, const struct ks_toolkit *toolkit)
{
    static const char *const programs[] = {"gcc", "g++", "cc", "c++", "as", "ld", "sh"};
    if (toolkit->root != NULL) { // wherever it is
        ks_strv_add(arena, list, toolkit->root);
        add_linked(arena, list, toolkit->root);
        add_linked(arena, list, ks_path_join(arena, toolkit->root, "nvvm/bin"));
    }
    ks_strv_add(arena, list, toolkit->bin_dir);
    add_program(arena, list, toolkit->nvcc);
    add_linked(arena, list, toolkit->bin_dir);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        add_program(arena, list, programs[i]);
    const char *host = getenv("NVCC_CCBIN");
    if (host != NULL && *host != '\0')
        add_program(arena, list, host);
}

// ks-nvcc, which stands in front of gcc's front end (nvcc/host_front.h), and the libraries that it shares with
// this program: they may lie beside the build.
static void add_own(struct ks_arena *arena, struct ks_strv *list)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "re");
    ks_strv_add(arena, list, ks_path_join(arena, ks_program_dir(arena), "ks-nvcc"));
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        char *path = strchr(line, '/');
        if (path == NULL || strstr(path, ".so") == NULL)
            continue;
        path[strcspn(path, "\n")] = '\0';
        if (strcmp(path, list->at[list->len - 1]) != 0) // once for all parts of it
            ks_strv_add(arena, list, ks_arena_strdup(arena, path));
    }
    if (maps != NULL)
        fclose(maps);
}

// Each file that the plain compile read, by the marks in its preprocessed text.
static void add_read_files(struct ks_arena *arena, struct ks_strv *list, const char *dir)
{
    struct ks_strv names = {0};
    if (dir == NULL || ks_dir_list(arena, dir, &names, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < names.len; i++) {
        struct ks_slice text;
        if (ks_ends_with(names.at[i], ".ii") &&
            ks_file_read(arena, ks_path_join(arena, dir, names.at[i]), TEXT_MAX, &text, NULL) == KS_OK)
            ks_line_markers(arena, text, list);
    }
}

static void add_unit(struct ks_arena *arena, struct ks_strv *list, const struct ks_tu *tu)
{
    // A text from elsewhere could name any file, in an `#include` that is passed over or by `#line`.
    if (tu->within != NULL) {
        for (size_t i = 0; tu->within[i] != NULL; i++)
            add_folder(arena, list, tu->within[i]);
        return;
    }
    for (size_t i = 0; i < tu->files.len; i++)
        ks_strv_add(arena, list, tu->files.at[i].path);
    for (size_t i = 0; tu->cmd->include_dirs != NULL && tu->cmd->include_dirs[i] != NULL; i++)
        add_folder(arena, list, tu->cmd->include_dirs[i]);
    add_read_files(arena, list, tu->plain_dir);
    const char *host = ks_cmdline_host_compiler(tu->cmd);
    if (host != NULL)
        add_program(arena, list, host);
}

enum ks_status ks_confine_compile(struct ks_arena *arena, const struct ks_config *config,
                                  const struct ks_toolkit *toolkit, const struct ks_tu *tu,
                                  const char *shadow_root, const char *keep,
                                  struct ks_sandbox *sandbox, struct ks_err *err)
{
    struct ks_strv read = {0}, hidden = {0};
    add_system(arena, &read);
    add_tools(arena, &read, toolkit);
    ks_strv_add(arena, &read, ks_path_join(arena, config->share_dir, "hook"));
    add_own(arena, &read);
    if (shadow_root != NULL)
        ks_strv_add(arena, &read, shadow_root);
    if (tu != NULL)
        add_unit(arena, &read, tu);
    const char *const own[] = {config->config_dir, config->state_dir, config->cache_dir};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] != NULL)
            ks_strv_add(arena, &hidden, own[i]);
    const char *const write[] = {keep, NULL};
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom", NULL};
    const struct ks_sandbox_rules rules = {
        .read = read.at, .write = write, .devices = devices, .hidden = hidden.at, .starts = true,
        .max_file = FILE_BYTES, .max_written = WRITTEN_BYTES, .max_processes = PROCESSES};
    return ks_sandbox_make(arena, &rules, sandbox, err);
}

// ---- the worker's side

static struct worker {
    struct ks_arena arena;
    struct ks_sandbox sandbox;
    bool fenced, sealed;
} worker;

// The strings are overwritten too: device code of a machine that shares memory could read them.
static void clean_environment(void)
{
    size_t kept = 0;
    for (size_t i = 0; environ[i] != NULL; i++) {
        if (ks_sandbox_variable(environ[i]))
            environ[kept++] = environ[i];
        else
            memset(environ[i], 0, strlen(environ[i]));
    }
    environ[kept] = NULL;
    // Machine code is loaded, nothing is compiled: no cache folder is needed.
    setenv("CUDA_CACHE_DISABLE", "1", 1);
}

enum ks_status ks_confine_worker(struct ks_err *err)
{
    struct ks_arena *arena = &worker.arena;
    struct ks_strv read = {0}, devices = {0}, names = {0};
    add_system(arena, &read);
    // The driver reads its own state and the machine's there, and names its threads. Other processes'
    // memory and variables stay out of reach: Landlock keeps what is fenced from tracing others.
    static const char *const driver[] = {"/proc", "/sys", "/run/nvidia", "/run/nvidia-persistenced",
                                         "/var/lib/nvidia", "/var/lib/cdi", "/etc/passwd",
                                         "/etc/nsswitch.conf", "/etc/OpenCL"};
    for (size_t i = 0; i < sizeof driver / sizeof *driver; i++)
        ks_strv_add(arena, &read, driver[i]);
    static const char *const always[] = {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
                                         "/proc/self/task"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        ks_strv_add(arena, &devices, always[i]);
    if (ks_dir_list(arena, "/dev", &names, NULL) == KS_OK)
        for (size_t i = 0; i < names.len; i++)
            if (ks_starts_with(names.at[i], "nvidia") || ks_starts_with(names.at[i], "nvhost") ||
                ks_starts_with(names.at[i], "nvmap") || strcmp(names.at[i], "dxg") == 0)
                ks_strv_add(arena, &devices, ks_path_join(arena, "/dev", names.at[i]));
    const struct ks_sandbox_rules rules = {.read = read.at, .devices = devices.at, .connects = true};
    clean_environment();
    KS_TRY(ks_sandbox_make(arena, &rules, &worker.sandbox, err));
    if (!ks_sandbox_fence(&worker.sandbox))
        return ks_err_errno(err, "Landlock does not confine this process");
    ks_sandbox_close(&worker.sandbox);
    worker.fenced = true;
    return KS_OK;
}

enum ks_status ks_confine_worker_open(struct ks_err *err)
{
    if (!worker.fenced)
        KS_FAIL(err, KS_E_UNSUPPORTED, "this process is not confined");
    if (!ks_sandbox_seal(&worker.sandbox))
        return ks_err_errno(err, "seccomp does not confine this process");
    worker.sealed = true;
    return KS_OK;
}

bool ks_confined(void)
{
    return worker.fenced && worker.sealed;
}
