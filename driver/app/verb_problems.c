#include "app/verb_problems.h"

#include "search/choose.h"

enum ks_status verb_problems(struct ks_arena *arena, const struct ks_tu_kernel *kernel, int64_t workload,
                             struct ks_problem **problems, size_t *at, struct ks_err *err)
{
    const struct ks_mark *mark = kernel->mark->mark;
    if (mark->n_workloads == 0)
        KS_FAIL(err, KS_E_USER,
                "%s:%d: the kernel has no workload to be run with; add a `ks workload` line "
                "(docs/marks.md)",
                mark->file, mark->line);
    if (workload > (int64_t)mark->n_workloads)
        KS_FAIL(err, KS_E_USER, "%s:%d: the mark has %zu workload%s, not a number %lld", mark->file,
                mark->line, mark->n_workloads, mark->n_workloads == 1 ? "" : "s",
                (long long)workload);
    *problems = KS_NEW_ARRAY(arena, struct ks_problem, mark->n_workloads);
    for (size_t w = 0; w < mark->n_workloads; w++)
        KS_TRY(ks_problem_make(arena, mark, w, kernel->signature, kernel->mark->decl, NULL, 0,
                               &(*problems)[w], err));
    *at = workload > 0 ? (size_t)workload - 1
                          : ks_choose_workload(*problems, mark->n_workloads);
    return KS_OK;
}
