#include "nvcc/devlink.h"

#include <string.h>

#include "os/file.h"
#include "os/proc.h"

#define SECONDS 60.0

// A tool of the toolkit that stands beside nvcc; elsewhere only if that is a launcher's link.
static const char *beside(struct ks_arena *arena, const struct ks_toolkit *toolkit, const char *name)
{
    const char *path = ks_path_join(arena, toolkit->bin_dir, name);
    return ks_file_exists(path) ? path : name;
}

static enum ks_status run(struct ks_arena *arena, const char *name, const struct ks_strv *argv,
                          const struct ks_sandbox *sandbox, struct ks_err *err)
{
    struct ks_proc_options options = {.timeout_seconds = SECONDS,
                                      .max_output = 65536,
                                      .capture_stdout = true,
                                      .capture_stderr = true,
                                      .null_stdin = true,
                                      .sandbox = sandbox};
    struct ks_proc_result result;
    KS_TRY(ks_proc_run(arena, argv->at, &options, &result, err));
    struct ks_slice said = result.err.len > 0 ? result.err : result.out;
    if (result.exit_code != 0)
        KS_FAIL(err, KS_E_CHILD, "%s exits with %d: %.*s", name, result.exit_code,
                (int)(said.len < 400 ? said.len : 400), said.at);
    return KS_OK;
}

enum ks_status ks_device_link(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                              const char *cubin, const char *target, const char *const *kernels,
                              const struct ks_sandbox *sandbox, const char *image,
                              struct ks_err *err)
{
    struct ks_strv argv = {0};
    ks_strv_add(arena, &argv, beside(arena, toolkit, "nvlink"));
    ks_strv_add(arena, &argv, "-m64");
    ks_strv_add(arena, &argv, ks_arena_printf(arena, "--arch=%s", target));
    for (; *kernels != NULL; kernels++)
        ks_strv_add(arena, &argv, ks_arena_printf(arena, "--kernels-used=%s", *kernels));
    ks_strv_add(arena, &argv, cubin);
    ks_strv_add(arena, &argv, "-o");
    ks_strv_add(arena, &argv, image);
    return run(arena, "nvlink", &argv, sandbox, err);
}

enum ks_status ks_device_assemble(struct ks_arena *arena, const struct ks_toolkit *toolkit, const char *ptx,
                                  const char *target, bool object, int registers,
                                  const struct ks_sandbox *sandbox, const char *cubin, struct ks_err *err)
{
    struct ks_strv argv = {0};
    ks_strv_add(arena, &argv, beside(arena, toolkit, "ptxas"));
    ks_strv_add(arena, &argv, "-m64");
    ks_strv_add(arena, &argv, ks_arena_printf(arena, "--gpu-name=%s", target));
    ks_strv_add(arena, &argv, ks_arena_printf(arena, "--maxrregcount=%d", registers));
    if (object)
        ks_strv_add(arena, &argv, "--compile-only");
    ks_strv_add(arena, &argv, ptx);
    ks_strv_add(arena, &argv, "-o");
    ks_strv_add(arena, &argv, cubin);
    return run(arena, "ptxas", &argv, sandbox, err);
}
