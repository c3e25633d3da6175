#include "nvcc/devlink.h"

#include <string.h>

#include "os/file.h"
#include "os/proc.h"

#define LINK_SECONDS 60.0

enum ks_status ks_device_link(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                              const char *cubin, const char *target, const char *const *kernels,
                              const struct ks_sandbox *sandbox, const char *image,
                              struct ks_err *err)
{
    // Beside nvcc; elsewhere only if that is a launcher's link.
    const char *nvlink = ks_path_join(arena, toolkit->bin_dir, "nvlink");
    struct ks_strv argv = {0};
    ks_strv_add(arena, &argv, ks_file_exists(nvlink) ? nvlink : "nvlink");
    ks_strv_add(arena, &argv, "-m64");
    ks_strv_add(arena, &argv, ks_arena_printf(arena, "--arch=%s", target));
    for (; *kernels != NULL; kernels++)
        ks_strv_add(arena, &argv, ks_arena_printf(arena, "--kernels-used=%s", *kernels));
    ks_strv_add(arena, &argv, cubin);
    ks_strv_add(arena, &argv, "-o");
    ks_strv_add(arena, &argv, image);
    struct ks_proc_options options = {.timeout_seconds = LINK_SECONDS,
                                      .max_output = 65536,
                                      .capture_stdout = true,
                                      .capture_stderr = true,
                                      .null_stdin = true,
                                      .sandbox = sandbox};
    struct ks_proc_result result;
    KS_TRY(ks_proc_run(arena, argv.at, &options, &result, err));
    struct ks_slice said = result.err.len > 0 ? result.err : result.out;
    if (result.exit_code != 0)
        KS_FAIL(err, KS_E_CHILD, "nvlink exits with %d: %.*s", result.exit_code,
                (int)(said.len < 400 ? said.len : 400), said.at);
    return KS_OK;
}
