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
    const char *mechanism;     // ks_proposal_mechanism, "" of what an earlier ks judged
    struct ks_candidate *candidate; // NULL when it comes from an earlier run
    const struct ks_attempt *earlier; // which knows what became of it then
    struct ks_verdict verdict;
    double over; // ratio of what its step was applied to in this run, 1 of the original; 0: that was not looked at
};

struct ks_kept_look {
    const char *proposal;
    double ratio, least; // over all workloads, and where it is smallest
    double over;         // ratio then of what it stands on, as struct ks_attempt's screened_over
};

struct ks_trajectory {
    struct ks_arena *arena;
    struct ks_outcomes *outcomes; // may be NULL
    const char *key, *kernel, *bottleneck, *structure;
    int arch;
    bool modelled; // on the emulated device: what is measured is another trajectory
    struct {
        struct ks_try *at;
        size_t len, cap;
    } tries;
    struct {
        struct ks_try *at;
        size_t len, cap;
    } screened; // correct as far as that went, with what they showed on each workload
    struct {
        struct ks_kept_look *at;
        size_t len, cap;
    } kept;     // screened by an earlier run, and not judged in full
};

// How the metric moved that a candidate's skill names; all zero: not measured.
struct ks_metric_move {
    int moved;        // as struct ks_attempt has it
    const char *text;
};

// Loads what earlier runs judged and rejected for good; promising ones are judged anew. The newest
// verdict on a proposal counts. `again`: loads nothing.
void ks_trajectory_open(struct ks_trajectory *t, bool again);
// Whether a proposal was judged before, under this or any other name.
bool ks_trajectory_knows(const struct ks_trajectory *t, const char *proposal);
// What an earlier run rejected for good under this name; NULL: nothing like that is known.
const struct ks_attempt *ks_trajectory_earlier(const struct ks_trajectory *t, const char *proposal);
// The proposal that was judged or screened with this mechanism, under whatever names, or NULL. Its own does not count.
const char *ks_trajectory_same(const struct ks_trajectory *t, const char *proposal, const char *mechanism);
// What a screening of an earlier run showed; NULL: there was none.
const struct ks_kept_look *ks_trajectory_kept(const struct ks_trajectory *t, const char *proposal);
// Remembers a verdict here and in long-term memory; a memory that fails is warned of once and left. `move` may be NULL.
void ks_trajectory_add(struct ks_trajectory *t, struct ks_candidate *candidate,
                       const char *proposal, const struct ks_verdict *verdict,
                       const struct ks_metric_move *move);
// The same for what a screening found right; what it stands on first, where both are of one batch.
void ks_trajectory_screened(struct ks_trajectory *t, struct ks_candidate *candidate,
                            const char *proposal, const struct ks_verdict *verdict);
// Correct, and faster over all workloads or perhaps so.
bool ks_verdict_promises(const struct ks_verdict *verdict);
// Correct tries of this run that are faster, or may be, best first. The array is in the arena, its
// tries are valid until the next ks_trajectory_add.
size_t ks_trajectory_best(const struct ks_trajectory *t, struct ks_try ***best);

#endif
