// Where the host compiler finds its own headers: /usr/include on many machines, below /opt or in a store of
// modules on others.
#ifndef KS_HOST_DIRS_H
#define KS_HOST_DIRS_H

#include "nvcc/cmdline.h"
#include "nvcc/toolkit.h"

// The folders of #include <...> without any option of the command's or the environment's but the host
// compiler, as nvcc's own run of that compiler tells them: real paths. Copies. KS_E_CHILD, KS_E_FORMAT: it
// tells nothing.
enum ks_status ks_host_dirs(struct ks_arena *arena, const struct ks_toolkit *toolkit,
                            const struct ks_cmdline *cmd, struct ks_strv *dirs, struct ks_err *err);

// The same of `text`, what gcc or clang says under -v in English.
void ks_host_dirs_read(struct ks_arena *arena, struct ks_slice text, struct ks_strv *dirs);

#endif
