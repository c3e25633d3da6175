// How much rounding of intermediate results changes an element, on numbers that are exact in no order; contract in
// verify/wide_runs.h and verify/wide.h.
//
// A difference of two sums, a variance as the mean of squares less the square of the mean, errs by the rounding of these sums.
// Neither its own size nor moved inputs show that: they move both sums alike. Random rounding of fp32 does (verify/rounding.h), but
// tells a large error from a choice by its size alone, and of sums that come out exact by chance it says nothing, though in
// another order they would not. So it is run on inputs nearby, too; and in double, where an error is 2^-29 of that in fp32 as long
// as it is in proportion, and passes no threshold. Less of the two counts: library functions of double are made of many steps.
// Where rounding decides whether an element is a number, the root of what may come out below zero, nothing bounds its error.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "verify/rounding.h"
#include "verify/wide.h"
#include "verify/wide_runs.h"
#include "verify/wide_weigh.h"

#define MODULE "m64r"
#define NARROW "m0r" // of verify/rounding_run.c
#define MOVES 2
#define RUNS 6
#define NEAR 18      // inputs of fp32 move by 2^-18: their last six bits are used
#define FINER 0x1p29 // roundoff of fp32 over that of fp64

struct shaking {
    const double *was, *is;
    double finer;
    float *shaken;
};

static void shake_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct shaking *s = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        float error = 0;
        if (isfinite(s->is[i]) && isfinite(s->was[i]))
            error = (float)fmin(fabs(s->is[i] - s->was[i]) * s->finer, FLT_MAX);
        else if (isfinite(s->is[i]) || isfinite(s->was[i]))
            error = FLT_MAX;
        s->shaken[i] = fmaxf(s->shaken[i], error);
    }
}

// What each output that has a reference comes to, and again.
struct results {
    double *was[KS_LAUNCH_SLOTS], *is[KS_LAUNCH_SLOTS];
};

// Runs of `rounded` on what lies there, against what was.
static enum ks_answer shake(struct ks_wide_runs *rounded, struct results *results, double finer, float *const *shaken)
{
    const struct ks_vector *vector = rounded->vector;
    enum ks_answer answer = KS_ANSWER_OK;
    bool same = true; // of integers nobody asks: they are those of other inputs
    for (int run = 0; answer == KS_ANSWER_OK && run < RUNS; run++) {
        answer = ks_wide_again(rounded, KS_FILL_ALIKE, results->is, &same);
        for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++)
            if (shaken[o] != NULL)
                ks_parallel(ks_vector_looks(vector, o), shake_part,
                            &(struct shaking){results->was[o], results->is[o], finer, shaken[o]});
    }
    return answer;
}

// In double: moved by 2^-30, so that their last bits are used.
static enum ks_answer shake_wide(struct ks_wide_runs *r, struct results *results, float *const *shaken)
{
    struct ks_wide_runs rounded = *r;
    bool same = true;
    rounded.plan = json_deep_copy(r->plan);
    json_object_set_new(json_array_get(rounded.plan, 0), "module", json_string(MODULE));
    enum ks_answer answer = ks_wide_run(r, ks_rng_next(&r->judge->rng) % KS_FILL_PATTERNS | 2, results->was, &same);
    if (answer == KS_ANSWER_OK)
        answer = shake(&rounded, results, FINER, shaken);
    json_decref(rounded.plan);
    return answer;
}

// In fp32, against double on the same numbers.
static enum ks_answer shake_narrow(struct ks_wide_runs *r, struct results *results, float *const *shaken)
{
    struct ks_wide_runs wide = *r, narrow = *r;
    struct ks_scope scope = ks_judge_scope(r->judge, &r->vector->problem, &r->vector->layout, NULL);
    const uint64_t pattern = ks_rng_next(&r->judge->rng) % KS_FILL_PATTERNS | 2 | KS_FILL_FAR(NEAR);
    bool same = true;
    wide.single = narrow.single = narrow.narrow = true;
    narrow.plan = ks_launch_original(&scope, NARROW);
    enum ks_answer answer = ks_wide_run(&wide, pattern, results->was, &same);
    if (answer == KS_ANSWER_OK)
        answer = ks_wide_run(&narrow, pattern, results->is, &same);
    if (answer == KS_ANSWER_OK)
        answer = shake(&narrow, results, 1, shaken);
    json_decref(narrow.plan);
    return answer;
}

static enum ks_answer shake_both(struct ks_wide_runs *r, double *const *value, float **shaken)
{
    struct ks_vector *vector = r->vector;
    struct results results = {.was = {NULL}};
    float *narrow[KS_LAUNCH_SLOTS] = {NULL};
    enum ks_answer answer = KS_ANSWER_OK;
    int moves = ks_problem_bytes(&vector->problem) > KS_FEW_MOVES_BYTES ? 1 : MOVES;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        size_t n = (size_t)ks_vector_looks(vector, o) + 1;
        if (!ks_wide_takes(&vector->layout.slots[vector->outputs[o].slot]))
            continue;
        results.was[o] = malloc(n * sizeof *results.was[o]);
        results.is[o] = malloc(n * sizeof *results.is[o]);
        KS_ASSERT(results.was[o] != NULL && results.is[o] != NULL);
        if (value[o] == NULL)
            continue;
        shaken[o] = calloc(n, sizeof *shaken[o]);
        narrow[o] = calloc(n, sizeof *narrow[o]);
        KS_ASSERT(shaken[o] != NULL && narrow[o] != NULL);
    }
    for (int m = 0; answer == KS_ANSWER_OK && m < moves; m++) {
        answer = shake_wide(r, &results, shaken);
        if (answer == KS_ANSWER_OK)
            answer = shake_narrow(r, &results, narrow);
    }
    for (size_t o = 0; o < vector->n_outputs; o++) {
        for (int64_t i = 0; shaken[o] != NULL && i < ks_vector_looks(vector, o); i++)
            shaken[o][i] = fminf(shaken[o][i], narrow[o][i]);
        free(results.was[o]);
        free(results.is[o]);
        free(narrow[o]);
    }
    return answer;
}

enum ks_answer ks_wide_shake(struct ks_wide_runs *r, double *const *value, float **shaken)
{
    struct ks_judge *judge = r->judge;
    struct ks_rounding *rounding = &judge->wide_rounding;
    struct ks_err err = {0};
    if (ks_rounding_ready(judge, rounding, judge->wide.text, judge->wide.registered, MODULE, &err) != KS_OK ||
        ks_rounding_ready(judge, &judge->rounding, judge->original_text, judge->kernel->signature->registered, NARROW, &err) != KS_OK)
        return KS_ANSWER_TOOL;
    if (judge->rounding.absent != NULL)
        return KS_ANSWER_OK;
    enum ks_answer answer = rounding->absent == NULL ? shake_both(r, value, shaken) : KS_ANSWER_OK;
    if (answer != KS_ANSWER_OK && answer != KS_ANSWER_TOOL && answer != KS_ANSWER_INTERRUPTED) { // never again in this session
        rounding->absent = ks_arena_printf(judge->arena, "%s: %.150s", ks_answer_name(answer), judge->oracle.text);
        for (size_t o = 0; o < r->vector->n_outputs; o++) {
            free(shaken[o]);
            shaken[o] = NULL;
        }
        if (answer != KS_ANSWER_LAUNCH && answer != KS_ANSWER_LIMIT)
            ks_worker_stop(&judge->oracle);
        answer = KS_ANSWER_OK;
    }
    if (rounding->absent != NULL)
        ks_judge_note(judge, "not run in double with random rounding: %.150s", rounding->absent);
    return answer;
}

enum ks_status ks_wide_shaken(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, struct ks_err *err)
{
    double *value[KS_LAUNCH_SLOTS] = {NULL};
    float *shaken[KS_LAUNCH_SLOTS] = {NULL};
    bool ready, any = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_reference *reference = &vector->outputs[o].reference;
        if (ks_wide_takes(&vector->layout.slots[vector->outputs[o].slot]) && reference->shaken == NULL)
            value[o] = (double *)(uintptr_t)reference->value;
        any = any || value[o] != NULL;
    }
    if (!any)
        return KS_OK;
    KS_TRY(ks_wide_ready(judge, &ready, err));
    if (!ready)
        return KS_OK;
    judge->oracle_holds = 0;
    struct ks_wide_runs r = {.judge = judge, .arena = arena, .vector = vector, .plan = ks_wide_plan(judge, vector)};
    enum ks_answer answer = ks_wide_shake(&r, value, shaken);
    json_decref(r.plan);
    for (size_t o = 0; o < vector->n_outputs; o++)
        if (answer == KS_ANSWER_OK && shaken[o] != NULL)
            vector->outputs[o].reference.shaken = shaken[o];
        else
            free(shaken[o]);
    return answer == KS_ANSWER_OK ? KS_OK : ks_answer_status(&judge->oracle, answer, "the oracle", err);
}

bool ks_wide_stirs(const struct ks_vector *vector)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_reference *reference = &vector->outputs[o].reference;
        for (int64_t i = 0; reference->shaken != NULL && i < ks_vector_looks(vector, o); i++)
            if (!ks_reference_trusts(reference, i, ks_reference_shaken(reference, i)))
                return true;
    }
    return false;
}
