// Screening: a short look at the speed of many candidates that one build holds. It orders a search and
// rejects the clearly slow; it never claims anything (that is timing.h).
#ifndef KS_SCREEN_H
#define KS_SCREEN_H

#include "verify/session.h"

// Ratio original / candidate (the median of a few pairs) of candidate i on workload w into
// ratios[i * judge->n_problems + w]; 0 where it does not run there. Holds the GPU's lock.
enum ks_status ks_screen_run(struct ks_judge *judge, struct ks_arena *arena,
                             const struct ks_candidate *const *candidates, size_t n, double *ratios,
                             struct ks_err *err);

#endif
