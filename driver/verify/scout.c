#include "verify/scout.h"

#include <stdio.h>
#include <string.h>

#include "device/emu/emu_finding.h"

#define MOST_BYTES (256 << 10)
#define MOST_THREADS (16 << 10)
// Of the emulated device, some thirty millions a second:
#define RUN_STEPS (INT64_C(1) << 23) // of one run; a task has half a dozen, and a size that takes more is too large
#define FAULTS 3 // of the original, after which the emulated device is asked first: each costs a GPU a context, a second or more

bool ks_scout_fits(const struct ks_problem *p)
{
    double threads = 1;
    for (int d = 0; d < 3; d++)
        threads *= (double)p->grid[d] * (double)p->block[d];
    return threads <= MOST_THREADS && ks_problem_bytes(p) <= MOST_BYTES;
}

struct ks_judge *ks_scout_session(struct ks_judge *judge)
{
    struct ks_arena own = {0};
    struct ks_judge *s = KS_NEW(judge->arena, struct ks_judge);
    *s = (struct ks_judge){.tu = judge->tu, .kernel = judge->kernel,
                           .options = judge->options, .original_cubin = judge->original_cubin,
                           .original_image = judge->original_text, .original_text = judge->original_text,
                           .original_ptx = judge->original_ptx,
                           .arith = judge->arith,
                           .declared = judge->declared};
    s->arena = KS_NEW(judge->arena, struct ks_arena); // the session's is used by one thread alone
    *s->arena = own;
    s->build = judge->build;
    s->compiles = judge->compiles;
    s->options.device = "emu";
    s->options.worker = judge->options.emulator;
    s->options.launcher = NULL;
    s->options.untimed = true;
    s->options.run_steps = RUN_STEPS;
    ks_rng_seed(&s->rng, ks_rng_next(&judge->rng));
    return s;
}

// What the emulated device finds that no other device could end well.
static bool is_proof(const char *text)
{
    return ks_finding_is(text, KS_F_OUT_OF_BOUNDS) || ks_finding_is(text, KS_F_MISALIGNED) || ks_finding_is(text, KS_F_TRAP);
}

bool ks_scout_fails(struct ks_judge *judge, struct ks_arena *arena, const struct ks_vector *vector,
                    char why[KS_ANSWER_TEXT])
{
    struct ks_err err = {0};
    uint64_t addresses[KS_LAUNCH_SLOTS];
    double us;
    if (judge->faults < FAULTS || strcmp(judge->device.kind, "emu") == 0 || judge->original_text.len == 0 ||
        !ks_scout_fits(&vector->problem) || !ks_judge_defends(judge, KS_D_EMULATION))
        return false;
    if (judge->scout == NULL)
        judge->scout = ks_scout_session(judge);
    struct ks_judge *scout = judge->scout;
    struct ks_worker *worker = &scout->oracle;
    if (ks_oracle_ready(scout, &err) != KS_OK)
        return false;
    enum ks_answer answer = ks_vector_place(arena, vector, worker, vector->placement, NULL, 0, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, worker, addresses);
    if (answer == KS_ANSWER_OK) {
        struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
        json_t *plan = ks_launch_original(&scope, "m0");
        answer = ks_vector_run(worker, plan, vector->poison[0], true, true, ks_run_limit(scout), &us);
        json_decref(plan);
    }
    bool fails = answer == KS_ANSWER_FAULT && is_proof(worker->text);
    if (fails)
        snprintf(why, KS_ANSWER_TEXT, "%s", worker->text);
    if (answer != KS_ANSWER_OK)
        ks_worker_stop(worker);
    return fails;
}

void ks_scout_close(struct ks_judge *judge)
{
    if (judge->scout == NULL)
        return;
    ks_worker_stop(&judge->scout->oracle);
    ks_spares_stop(judge->scout);
    ks_arena_free(judge->scout->arena);
    judge->scout = NULL;
}
