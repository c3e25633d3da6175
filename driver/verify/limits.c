// Numbers of a plan before anything is compiled or launched: every one defined and within limits on
// each declared workload that the guard admits (research verification.md 1.22, R44).
#include <stdio.h>
#include <string.h>

#include "verify/session.h"

#define NAME_SHOWN 64

// Why the guard has no value at such addresses; "" where it has one.
static void explain_guard(struct ks_scope *scope, char why[KS_EXPR_WHY])
{
    uint64_t addresses[KS_LAUNCH_SLOTS];
    why[0] = '\0';
    if (scope->layout->n_slots > KS_LAUNCH_SLOTS)
        return;
    ks_placement_predict(scope->layout, KS_AS_ALLOCATED, addresses);
    scope->addresses = addresses;
    ks_expr_explain(scope->proposal->when, ks_scope_lookup, scope, why);
}

// `guard`: why the guard has no value there, or "". *admitted: it holds.
static bool workload_fits(const struct ks_judge *judge, struct ks_arena *arena,
                          const struct ks_proposal *proposal, const struct ks_problem *problem,
                          bool *admitted, char guard[KS_EXPR_WHY], char reason[256])
{
    struct ks_layout layout = ks_layout_of(arena, problem);
    struct ks_scope scope = ks_judge_scope(judge, problem, &layout, proposal);
    struct ks_placement placement;
    *admitted = ks_placement_choose(&scope, KS_FLUSH_END, &placement);
    if (!*admitted) { // would go to the original
        explain_guard(&scope, guard);
        return true;
    }
    uint64_t *addresses = KS_NEW_ARRAY(arena, uint64_t, KS_LAUNCH_SLOTS);
    int64_t *bytes = KS_NEW_ARRAY(arena, int64_t, proposal->n_workspaces);
    const char **names = KS_NEW_ARRAY(arena, const char *, proposal->kernels.len);
    for (size_t i = 0; i < proposal->kernels.len; i++)
        names[i] = proposal->kernels.at[i].name;
    ks_placement_predict(&layout, placement, addresses);
    scope.addresses = addresses;
    if (!ks_launch_workspaces(&scope, &judge->device, bytes, reason))
        return false;
    scope.workspaces = bytes;
    json_t *plan = ks_launch_plan(&scope, &judge->device, "m0", names, reason);
    json_decref(plan);
    return plan != NULL;
}

bool ks_judge_limits(const struct ks_judge *judge, struct ks_arena *arena,
                     const struct ks_proposal *proposal, char reason[256])
{
    const struct ks_problem *undefined = NULL;
    bool any = false;
    char guard[KS_EXPR_WHY] = "";
    for (size_t w = 0; w < judge->n_problems; w++) {
        const struct ks_problem *problem = &judge->declared[w];
        char why[KS_EXPR_WHY] = "", wrong[256];
        bool admitted;
        if (!workload_fits(judge, arena, proposal, problem, &admitted, why, wrong)) {
            snprintf(reason, 256, "%.170s; on workload %.*s", wrong, NAME_SHOWN, problem->name);
            return false;
        }
        any = any || admitted;
        if (undefined == NULL && why[0] != '\0') {
            undefined = problem;
            memcpy(guard, why, sizeof guard);
        }
    }
    if (any || undefined == NULL)
        return true;
    snprintf(reason, 256, "the guard is undefined: %s; on workload %.*s", guard, NAME_SHOWN, undefined->name);
    return false;
}
