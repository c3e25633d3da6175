// How large a problem is, and a mark with other sizes.
#include <string.h>

#include "workload/problem.h"

int64_t ks_problem_bytes(const struct ks_problem *problem)
{
    int64_t total = 0;
    for (size_t i = 0; i < problem->n_args; i++) {
        const struct ks_arg *arg = &problem->args[i];
        if (arg->kind == KS_ARG_BUFFER && arg->alias_of < 0)
            total += arg->count * (int64_t)arg->elem.size;
    }
    return total;
}

int64_t ks_problem_traffic(const struct ks_problem *problem)
{
    int64_t total = 0;
    for (size_t i = 0; i < problem->n_args; i++) {
        const struct ks_arg *arg = &problem->args[i];
        // Two names for the same reads (or writes) of one array count once.
        bool repeated = arg->alias_of >= 0 && problem->args[arg->alias_of].role == arg->role;
        if (arg->kind == KS_ARG_BUFFER && !repeated)
            total += arg->count * (int64_t)arg->elem.size * (arg->role == KS_ROLE_INOUT ? 2 : 1);
    }
    return total;
}

struct ks_mark *ks_mark_resized(struct ks_arena *arena, const struct ks_mark *mark, size_t w,
                                const struct ks_value *sizes, size_t n)
{
    struct ks_mark *copy = ks_arena_memdup(arena, mark, sizeof *mark);
    copy->workloads = ks_arena_memdup(arena, mark->workloads,
                                      mark->n_workloads * sizeof *mark->workloads);
    struct ks_workload_mark *one = &copy->workloads[w];
    if (one->declared == NULL)
        one->declared = one->lets;
    one->lets = ks_arena_memdup(arena, one->lets, one->n_lets * sizeof *one->lets);
    for (size_t i = 0; i < one->n_lets; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(one->lets[i].name, sizes[k].name) == 0 && ks_binding_is_size(&one->lets[i])) {
                one->lets[i].expr = ks_arena_memdup(arena, one->lets[i].expr, sizeof(struct ks_expr));
                one->lets[i].expr->value = sizes[k].value;
            }
    return copy;
}
