// What a kernel counts: of each element that it reads the place at which it adds to an array of whole numbers by atomics, and
// how much. `int b = (int)((x[i] - lo) * scale); if (b >= 0 && b < bins) atomicAdd(&counts[b], 1u);`. A template keeps that as
// code of its own and in its formula; whether the kernel counts in memory, or in shared memory first, does not matter.
#ifndef KS_TALLY_H
#define KS_TALLY_H

#include "engine/tail.h"

// As ks_head_find: `code` says whether an element counts, and sets its_bin and its_weight; `value` is what it adds at the place
// its_bin of the formula. Numbers of threads that stand in the sum that is the place, as a row's begin, are not in it: which
// row an element is of, small runs of the original show.
bool ks_tally_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_tail *head, const char **why);

#endif
