// The workloads of a mark as problems with every number known, for verbs that look and do not judge.
#ifndef KS_VERB_PROBLEMS_H
#define KS_VERB_PROBLEMS_H

#include "app/verb.h"
#include "workload/problem.h"

// As many as the mark has workloads. *at is the one numbered `workload` from 1 on, or (0) the heaviest.
// KS_E_USER file:line: the mark has none, or not so many.
enum ks_status verb_problems(struct ks_arena *arena, const struct ks_tu_kernel *kernel, int64_t workload,
                             struct ks_problem **problems, size_t *at, struct ks_err *err);

#endif
