// What a kernel does with the elements of one turn before it adds the value to a sum: `float d =
// p[i] - t[i]; sum += d * d;`. A template keeps it, as code of its own and in its formula, so that
// a loss is read and summed by one kernel still.
#ifndef KS_HEAD_H
#define KS_HEAD_H

#include "engine/tail.h"

// As ks_tail_find, of the one loop that reads arrays: `value` is what a turn adds to the sum that the
// loop leaves, `code` returns that sum behind it. `value` is a turn's from zero: where another sum
// would get something else, small runs of the original show it.
bool ks_head_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_tail *head,
                  const char **why);
// The text of a kernel that takes one element a thread to a tree in shared memory which sums, as one with a loop of a
// single turn; NULL for other kernels.
const char *ks_head_turn(struct ks_arena *arena, const struct ks_brief *brief);

#endif
