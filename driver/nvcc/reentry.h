// ks-nvcc inside the nvcc of ks-nvcc: what was taken for the real one leads back here (a script, ccache
// with a link named nvcc on PATH). The inner one passes through, to another nvcc than those that did.
#ifndef KS_REENTRY_H
#define KS_REENTRY_H

#include "nvcc/toolkit.h"

#define KS_REENTRY_DEEPEST 3

// Notes in the environment that this one runs. Its depth, 0 outside; *seen: programs that led back, with
// colons between.
int ks_reentry_enter(struct ks_arena *arena, const char **seen);
// What is about to be run may lead back too, unless it is the nvcc of a toolkit.
void ks_reentry_note(struct ks_arena *arena, int depth, const char *seen,
                     const struct ks_toolkit *toolkit);

#endif
