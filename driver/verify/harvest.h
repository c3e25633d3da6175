// Numbers that a proposal treats apart: which sizes are worth a run follows from them.
#ifndef KS_HARVEST_H
#define KS_HARVEST_H

#include "verify/session.h"

// Whole numbers in a proposal's source, plan and guard between 2 and 65536, and what such come to there without a size: the threads
// of a whole launch, for one. At most `max`.
size_t ks_harvest_constants(const struct ks_proposal *proposal, int64_t *out, size_t max);
// Least common multiple of the divisors in `x % divisor` of the guard, 1 if none, at most 4096.
int64_t ks_guard_modulus(const struct ks_expr *when);
// The same over the guard (NULL: none) and the mark's assumptions.
int64_t ks_judge_modulus(const struct ks_judge *judge, const struct ks_proposal *proposal);

#endif
