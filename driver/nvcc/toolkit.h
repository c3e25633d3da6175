// The real nvcc and its toolkit.
#ifndef KS_TOOLKIT_H
#define KS_TOOLKIT_H

#include "cfg/config.h"

struct ks_toolkit {
    const char *nvcc;      // absolute; argv[0] must be exactly this (nvcc finds its profile there)
    const char *bin_dir;
    const char *root;      // the toolkit's root
    const char *include_dir;
    const char *launcher;  // what runs nvcc's compiles, absolute; NULL: none, or not to be found
    const char *version;   // "13.0.88", read lazily by ks_toolkit_version; NULL before
};

// KS_NVCC_REAL, CUDA_HOME, CUDA_PATH, then PATH (never ourselves, by device and inode), then
// /usr/local/cuda. KS_E_ABSENT: one sentence that says what to install or set.
enum ks_status ks_toolkit_find(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_toolkit *toolkit, struct ks_err *err);
// Its nvcc by the environment alone, without asking for memory, for os/rescue.h. NULL: none.
const char *ks_toolkit_guess(void);

// The command that runs `argv` (argv[0] nvcc): with the launcher in front, if there is one. For
// compiles alone: what else nvcc is asked is no launcher's business.
const char *const *ks_toolkit_command(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                                      const char *const *argv);

// Whether the launch hook knows how this nvcc's host stubs launch: from 13.0 on. (12's call
// cudaLaunchKernel, and no such toolkit was at hand to try them with.) After ks_toolkit_version.
bool ks_toolkit_dispatches(const struct ks_toolkit *toolkit);
// Full version from `nvcc --version`, cached under cache_dir by the nvcc's and its cicc's and
// ptxas's size, mtime and inode.
enum ks_status ks_toolkit_version(struct ks_arena *arena, const struct ks_config *config,
                                  struct ks_toolkit *toolkit, struct ks_err *err);

#endif
