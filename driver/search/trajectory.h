// Short-term memory of one kernel: what was tried, so that no idea is judged twice, in this run or
// in one that was interrupted.
#ifndef KS_TRAJECTORY_H
#define KS_TRAJECTORY_H

#include "base/vec.h"
#include "engine/brief.h"
#include "memory/outcomes.h"
#include "verify/judge.h"

struct ks_try {
    const char *proposal;      // ks_proposal_id
    struct ks_candidate *candidate; // NULL when it comes from an earlier run
    struct ks_verdict verdict;
};

struct ks_trajectory {
    struct ks_arena *arena;
    struct ks_outcomes *outcomes; // may be NULL
    const char *key, *kernel, *bottleneck, *structure;
    int arch;
    struct {
        struct ks_try *at;
        size_t len, cap;
    } tries;
    struct {
        struct ks_try *at;
        size_t len, cap;
    } screened; // correct as far as that went, with what they showed on each workload; in no memory
};

// Loads what earlier runs judged and rejected for good; promising ones are judged anew. The newest
// verdict on a proposal counts. `again`: loads nothing.
void ks_trajectory_open(struct ks_trajectory *t, bool again);
// Whether a proposal was judged before, under this or any other name.
bool ks_trajectory_knows(const struct ks_trajectory *t, const char *proposal);
// Remembers a verdict here and in long-term memory; a memory that fails is warned of once and left.
void ks_trajectory_add(struct ks_trajectory *t, struct ks_candidate *candidate,
                       const char *proposal, const struct ks_verdict *verdict);
// Keeps what a screening found of a proposal that passed it.
void ks_trajectory_screened(struct ks_trajectory *t, struct ks_candidate *candidate,
                            const char *proposal, const struct ks_verdict *verdict);
// Correct, and faster over all workloads or perhaps so.
bool ks_verdict_promises(const struct ks_verdict *verdict);
// Correct tries of this run that are faster, or may be, best first. The array is in the arena, its
// tries are valid until the next ks_trajectory_add.
size_t ks_trajectory_best(const struct ks_trajectory *t, struct ks_try ***best);

#endif
