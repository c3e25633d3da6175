// What the expressions of a mark say of its sizes, for who chooses small ones (engine/specimen.c).
#ifndef KS_SPECIMEN_SIZES_H
#define KS_SPECIMEN_SIZES_H

#include "source/mark.h"
#include "workload/problem.h"

// Whether another size is reckoned from this one: with windows, for instance, which it has to hold.
bool ks_sizes_lead(const struct ks_workload_mark *w, const char *name);
// Whether an expression hangs on a size, be it by way of others; whether the grid does.
bool ks_sizes_hang(const struct ks_workload_mark *w, const struct ks_expr *e, const char *name);
bool ks_sizes_are_launched(const struct ks_workload_mark *w, const char *name);
// Whether the grid is a quotient. Declared sizes are mostly round, and tell nothing of others where a launch rounds sizes down.
bool ks_sizes_are_rounded_down(const struct ks_workload_mark *w);
bool ks_sizes_speak_for_round_alone(const struct ks_workload_mark *w, const struct ks_problem *p);
// What is declared as 0 is no size: a flag, or a step that is not taken. Those stay 0 in `out`, which has room for n.
size_t ks_sizes_with_zeros(const struct ks_workload_mark *w, const struct ks_value *sizes, size_t n, struct ks_value *out);
// The same mark with a few blocks, where it launches a number of them that stands nowhere else than
// as an array's extent: `out(partial[1024]) grid(1024)`, or that has more threads than `most_threads` whatever the sizes are.
// NULL where it does not.
const struct ks_mark *ks_sizes_with_few_blocks(struct ks_arena *arena, const struct ks_mark *mark, int64_t most_threads);

#endif
