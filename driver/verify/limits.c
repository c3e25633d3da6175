// Numbers of a plan before anything is compiled or launched: every one defined and within limits on
// each declared workload that the guard admits (research verification.md 1.22, R44).
#include <stdio.h>

#include "verify/session.h"

static bool workload_fits(const struct ks_judge *judge, struct ks_arena *arena,
                          const struct ks_proposal *proposal, const struct ks_problem *problem,
                          char reason[256])
{
    struct ks_layout layout = ks_layout_of(arena, problem);
    struct ks_scope scope = ks_judge_scope(judge, problem, &layout, proposal);
    struct ks_placement placement;
    if (!ks_placement_choose(&scope, KS_FLUSH_END, &placement))
        return true; // would go to the original
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
    for (size_t w = 0; w < judge->n_problems; w++)
        if (!workload_fits(judge, arena, proposal, &judge->declared[w], reason))
            return false;
    return true;
}
