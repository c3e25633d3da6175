// Correctness of one candidate over all workloads of the mark.
#ifndef KS_CORRECT_H
#define KS_CORRECT_H

#include "verify/check.h"
#include "verify/domain.h"
#include "verify/emulate.h"
#include "verify/schedule.h"

enum ks_judging { KS_JUDGE_FULL, KS_JUDGE_CONFIRM };

struct ks_correct {
    enum ks_correctness verdict;
    char reason[512];
    struct ks_tested tested;
    int shapes, families;
    struct ks_seen *seen; size_t n_seen;  // by workload; for the domain
    bool *covered;                        // by workload: the declared problem lies inside the guard
};

// Runs every task of every workload in a fresh runner until something is wrong. Results live in `arena`.
// `look` (NULL: none) is begun after a few of them. A failure status is the tool's or the device's.
enum ks_status ks_correct_run(struct ks_judge *judge, struct ks_arena *arena,
                              const struct ks_candidate *candidate, enum ks_judging phase,
                              struct ks_second_look *look, struct ks_correct *result, struct ks_err *err);

#endif
