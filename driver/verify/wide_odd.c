// Odd numbers of 13 bits in one array and powers of two in all others (KS_FAMILY_ODD): sums of their products are exact in fp32
// in any order, and by three products of TF32 too, so that nothing is allowed for a sum's order. What may differ is how a
// result is made of the sum; a factor that is rounded to TF32 is off by one of the sum's units, and who rounds one
// is seen where that is more. Which scale of the sums shows it (an activation is flat where they are great) depends on
// the kernel: some are tried, and in double a few factors are rounded for it. Contract in verify/wide.h and
// verify/wide_runs.h.
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "verify/vary.h"
#include "verify/wide.h"
#include "verify/wide_runs.h"
#include "verify/wide_weigh.h"

#define ROUNDED 64       // numbers, or more: so few that most elements have one of them at most,
#define MOST_ONE_IN 4096 // of many terms

// One in how many of the array's numbers is rounded.
static uint64_t one_in(const struct ks_vector *vector)
{
    int64_t most = 1;
    for (size_t i = 0; i < vector->layout.n_slots; i++) {
        const struct ks_slot *slot = &vector->layout.slots[i];
        const struct ks_init *init = &vector->problem.args[slot->arg].init;
        if (slot->role != KS_ROLE_OUT && ks_scalar_is_float(slot->elem.scalar) && init->a >= KS_ODD_BITS)
            most = slot->count * slot->elem.lanes / ROUNDED;
    }
    return (uint64_t)(most < 1 ? 1 : most > MOST_ONE_IN ? MOST_ONE_IN : most);
}

enum ks_answer ks_wide_odd(struct ks_wide_runs *r, bool *same)
{
    struct ks_vector *vector = r->vector;
    double *value[KS_LAUNCH_SLOTS] = {NULL}, *moved[KS_LAUNCH_SLOTS] = {NULL};
    *same = true;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        size_t n = (size_t)ks_vector_looks(vector, o) + 1;
        if (!ks_wide_takes(&vector->layout.slots[vector->outputs[o].slot]))
            continue;
        value[o] = malloc(n * sizeof *value[o]);
        moved[o] = malloc(n * sizeof *moved[o]);
        KS_ASSERT(value[o] != NULL && moved[o] != NULL);
    }
    enum ks_answer answer = ks_wide_run(r, 0, value, same);
    if (answer == KS_ANSWER_OK && *same)
        answer = ks_wide_run(r, KS_FILL_ALIKE, moved, same);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        if (answer == KS_ANSWER_OK && *same && value[o] != NULL)
            ks_wide_refer_odd(vector, o, value[o], moved[o]);
        else
            free(value[o]);
        free(moved[o]);
    }
    return answer;
}

enum ks_status ks_wide_shows(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, bool *shows,
                             struct ks_err *err)
{
    double *rounded[KS_LAUNCH_SLOTS] = {NULL};
    struct ks_wide_shown shown = {0};
    bool ready, same = true, any = false;
    *shows = false;
    for (size_t o = 0; o < vector->n_outputs; o++)
        any = any || vector->outputs[o].reference.value != NULL;
    KS_TRY(ks_wide_ready(judge, &ready, err));
    if (!ready || !any)
        return KS_OK;
    judge->oracle_holds = 0;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        if (!ks_wide_takes(&vector->layout.slots[vector->outputs[o].slot]))
            continue;
        rounded[o] = malloc(((size_t)ks_vector_looks(vector, o) + 1) * sizeof *rounded[o]);
        KS_ASSERT(rounded[o] != NULL);
    }
    struct ks_wide_runs r = {.judge = judge, .arena = arena, .vector = vector, .plan = ks_wide_plan(judge, vector)};
    enum ks_answer answer = ks_wide_run(&r, KS_FILL_SHORT(one_in(vector)), rounded, &same);
    json_decref(r.plan);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        if (answer == KS_ANSWER_OK && vector->outputs[o].reference.value != NULL)
            ks_wide_show(vector, o, rounded[o], &shown);
        free(rounded[o]);
    }
    if (answer == KS_ANSWER_TOOL || answer == KS_ANSWER_INTERRUPTED)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    if (answer != KS_ANSWER_OK)
        ks_worker_stop(&judge->oracle);
    else
        *shows = ks_wide_is_shown(&shown);
    return KS_OK;
}
