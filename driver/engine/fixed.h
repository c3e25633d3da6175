// Private to the template engine: a mark whose windows and strides are constants. Templates have such as constants, and a
// mark that gives them as sizes of let() says what others they could be.
#ifndef KS_FIXED_H
#define KS_FIXED_H

#include "engine/brief.h"

// The same mark with its first workload alone, in which each size that others are divided by, or that is taken from them
// or only added to them, is the number that is declared, as with set(); and so is one that neither a parameter nor the grid
// shows, which the kernel must have as a constant. NULL: it has no such size.
const struct ks_mark *ks_fixed_mark(struct ks_arena *arena, const struct ks_mark *mark, const struct ks_kernel_decl *decl);
#endif
