#include "nvcc/host_dirs.h"

#include <string.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"

#define SECONDS 30.0

void ks_host_dirs_read(struct ks_arena *arena, struct ks_slice text, struct ks_strv *dirs)
{
    static const char begin[] = "#include <...> search starts here:", end[] = "End of search list.";
    bool inside = false;
    for (const char *at = text.at, *stop = text.at + text.len; at < stop;) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        struct ks_slice line = {at, (size_t)((newline != NULL ? newline : stop) - at)};
        at = newline != NULL ? newline + 1 : stop;
        if (ks_slice_eq(line, end))
            inside = false;
        if (inside && line.len > 1 && line.at[0] == ' ') {
            const char *real = ks_path_real(arena, ks_arena_strndup(arena, line.at + 1, line.len - 1));
            if (real != NULL)
                ks_strv_add(arena, dirs, real);
        }
        if (ks_slice_eq(line, begin))
            inside = true;
    }
}

// This process's, but what is said is said in English, and without the user's own folders.
static const char *const *own_environment(struct ks_arena *arena)
{
    static const char *const left_out[] = {"LC_ALL=", "CPATH=", "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH=",
                                           "NVCC_PREPEND_FLAGS=", "NVCC_APPEND_FLAGS="};
    struct ks_strv list = {0};
    for (size_t i = 0; environ[i] != NULL; i++) {
        bool keep = true;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            keep = keep && !ks_starts_with(environ[i], left_out[k]);
        if (keep)
            ks_strv_add(arena, &list, environ[i]);
    }
    ks_strv_add(arena, &list, "LC_ALL=C");
    return list.at;
}

enum ks_status ks_host_dirs(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                            const struct ks_cmdline *cmd, struct ks_strv *dirs, struct ks_err *err)
{
    const char *host = ks_cmdline_host_compiler(cmd);
    struct ks_strv argv = {0};
    ks_strv_add(arena, &argv, toolkit->nvcc);
    if (host != NULL) {
        ks_strv_add(arena, &argv, "-ccbin");
        ks_strv_add(arena, &argv, host);
    }
    static const char *const words[] = {"-E", "-x", "c++", "-Xcompiler", "-v", "/dev/null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ks_strv_add(arena, &argv, words[i]);
    struct ks_proc_options options = {.env = own_environment(arena), .timeout_seconds = SECONDS,
                                      .max_output = 65536, .capture_stdout = true,
                                      .capture_stderr = true, .null_stdin = true};
    struct ks_proc_result result;
    KS_TRY(ks_proc_run(arena, argv.at, &options, &result, err));
    ks_host_dirs_read(arena, result.err, dirs);
    if (result.exit_code != 0 || dirs->len == 0)
        KS_FAIL(err, KS_E_FORMAT, "%s names no folders of its host compiler's headers", toolkit->nvcc);
    return KS_OK;
}
