// From the names of a workload's formulas to those that a launch shows: parameters as the proposal calls
// them, geometry, numbers. Sizes that no parameter is named after are read from one that depends on
// them: with let(n=8192) let(rows=n), rows shows n.
#ifndef KS_NAMES_H
#define KS_NAMES_H

#include "source/proposal.h"
#include "workload/problem.h"

struct ks_shown_size {
    const char *name;
    int64_t declared;
    const struct ks_expr *shown; // in names of a launch; NULL: nothing shows it
};

struct ks_names {
    struct ks_arena *arena;
    const struct ks_workload_mark *workload;
    const struct ks_proposal *proposal;
    const struct ks_problem *problem; // any of the workload's, for types and for what is not shown
    struct ks_shown_size *sizes; size_t n_sizes;
};

// Borrows everything. Needs no more of `problem` than its arguments' names and types.
void ks_names_init(struct ks_names *names, struct ks_arena *arena,
                   const struct ks_workload_mark *workload, const struct ks_proposal *proposal,
                   const struct ks_problem *problem);
// Name of parameter `index` as the proposal calls it.
const char *ks_names_param(const struct ks_names *names, size_t index);
// The formula of an integer parameter; NULL if it is a size itself.
const struct ks_expr *ks_names_formula(const struct ks_names *names, size_t index);
// The same expression in names that dispatch knows (new). Sizes that nothing shows and template values
// become numbers. NULL beyond depth 64.
struct ks_expr *ks_names_expand(const struct ks_names *names, const struct ks_expr *expr);
// Whether each size that nothing shows has its declared value: other problems cannot be told apart
// from the declared one at a launch.
bool ks_names_counts(const struct ks_names *names, const struct ks_problem *problem);

#endif
