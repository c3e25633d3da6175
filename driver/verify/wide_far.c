// The original on inputs moved as far as tol(sum=F), or rounding, lets terms err; contract in verify/wide_runs.h and verify/wide.h.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "verify/wide.h"
#include "verify/wide_runs.h"
#include "verify/wide_weigh.h"

#define BEND 20 // moves by 2^-20, or 16 u: what any order of a sum may err by (verify/compare.c)
#define BEND_PAIRS 4
#define PAIRS 8 // of moves there and back, for of a bend one side may be flat: rounding of factors shows in every element

// Of moves of that size.
static int exponent_of(double sum)
{
    return (int)fmin(30, fmax(2, ceil(-log2(sum))));
}

// The m-th of them; `last` is the one before.
static uint64_t far_move(struct ks_judge *judge, int m, int exponent, uint64_t last)
{
    if (m % 2 == 1)
        return last % KS_FILL_PATTERNS | KS_FILL_FAR(exponent - 1) | KS_FILL_BACK;
    return ks_rng_next(&judge->rng) % KS_FILL_PATTERNS | 2 | KS_FILL_FAR(exponent);
}

enum ks_answer ks_wide_reach(struct ks_wide_runs *r, double sum, double inputs, double *const *value, double **moved,
                             double *const *change, bool *same)
{
    struct ks_vector *vector = r->vector;
    const int exponent = exponent_of(sum);
    double *far[KS_LAUNCH_SLOTS] = {NULL};
    enum ks_answer answer = KS_ANSWER_OK;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        far[o] = value[o] != NULL ? calloc((size_t)ks_vector_looks(vector, o) + 1, sizeof *far[o]) : NULL;
        KS_ASSERT(value[o] == NULL || far[o] != NULL);
    }
    uint64_t pattern = 0;
    for (int m = 0; answer == KS_ANSWER_OK && *same && m < 2 * PAIRS; m++) {
        pattern = far_move(r->judge, m, exponent, pattern);
        answer = ks_wide_run(r, pattern, moved, same);
        for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++)
            if (value[o] != NULL)
                ks_parallel(ks_vector_looks(vector, o), ks_wide_join_part,
                            &(struct ks_wide_joining){value[o], moved[o], ldexp(1, -exponent), far[o]});
    }
    for (size_t o = 0; o < vector->n_outputs; o++) {
        int64_t n = value[o] != NULL ? ks_vector_looks(vector, o) : 0;
        struct ks_reference reference = {.typical = ks_reference_typical(value[o], n), .inputs = inputs};
        double most = 0; // what leaves fp32's range is a measure of itself alone
        for (int64_t i = 0; i < n; i++)
            if (change[o][i] <= (double)FLT_MAX && !ks_wide_jumps(&reference, change[o][i], fabs(value[o][i])))
                most = fmax(most, change[o][i]);
        for (int64_t i = 0; i < n; i++)
            if (isfinite(far[o][i]) && isfinite(change[o][i]))
                change[o][i] = fmax(change[o][i], fmin(far[o][i], most));
        free(far[o]);
    }
    return answer;
}

// How far moves bring each element that has a reference: by small ones what leaps, by far ones what bends.
struct bends {
    double *moved[KS_LAUNCH_SLOTS];
    double *small[KS_LAUNCH_SLOTS], *far[KS_LAUNCH_SLOTS];
};

static enum ks_answer bend(struct ks_wide_runs *r, struct bends *b)
{
    const struct ks_vector *vector = r->vector;
    enum ks_answer answer = KS_ANSWER_OK;
    uint64_t pattern = ks_rng_next(&r->judge->rng) % KS_FILL_PATTERNS | 2;
    bool same = true; // of integers nobody asks: they are those of other inputs
    for (int m = -2; answer == KS_ANSWER_OK && m < 2 * BEND_PAIRS; m++) {
        bool small = m < 0;
        if (!small)
            pattern = far_move(r->judge, m, BEND, pattern);
        answer = ks_wide_run(r, m == -1 ? pattern | KS_FILL_BACK : pattern, b->moved, &same);
        for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++)
            if (b->far[o] != NULL)
                ks_parallel(ks_vector_looks(vector, o), ks_wide_join_part,
                            &(struct ks_wide_joining){vector->outputs[o].reference.value, b->moved[o],
                                                      small ? KS_FILL_MOVE : ldexp(1, -BEND), small ? b->small[o] : b->far[o]});
    }
    return answer;
}

// What a small move changes nothing by is flat there, and what by a lot a choice; of the others it is the measure.
static void widen_bent(struct ks_reference *reference, int64_t n, bool leaps, const double *small, const double *far)
{
    double *scale = (double *)(uintptr_t)reference->scale;
    double most = leaps ? DBL_MAX : 0;
    for (int64_t i = 0; i < n; i++)
        if (scale[i] > 0 && small[i] <= (double)FLT_MAX && !ks_wide_jumps(reference, small[i], fabs(reference->value[i])))
            most = fmax(most, small[i]);
    for (int64_t i = 0; i < n; i++) {
        double size = fabs(reference->value[i]);
        if (scale[i] > 0 && isfinite(far[i]) && isfinite(small[i]) && !ks_wide_jumps(reference, small[i], size))
            scale[i] = fmax(scale[i], size + fmin(far[i], most));
    }
}

// Room for what a run gives of each output, and whether that has a reference as well.
static bool make_room(const struct ks_vector *vector, size_t o, double **run)
{
    if (!ks_wide_takes(&vector->layout.slots[vector->outputs[o].slot]))
        return false;
    *run = malloc(((size_t)ks_vector_looks(vector, o) + 1) * sizeof **run);
    KS_ASSERT(*run != NULL);
    return vector->outputs[o].reference.value != NULL;
}

enum ks_status ks_wide_bent(struct ks_judge *judge, struct ks_arena *arena, bool leaps, struct ks_vector *vector,
                            struct ks_err *err)
{
    struct bends b = {{NULL}, {NULL}, {NULL}};
    bool ready;
    KS_TRY(ks_wide_ready(judge, &ready, err));
    if (!ready)
        return KS_OK;
    judge->oracle_holds = 0;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        size_t n = (size_t)ks_vector_looks(vector, o) + 1;
        if (!make_room(vector, o, &b.moved[o]))
            continue;
        b.small[o] = calloc(n, sizeof *b.small[o]);
        b.far[o] = calloc(n, sizeof *b.far[o]);
        KS_ASSERT(b.small[o] != NULL && b.far[o] != NULL);
    }
    struct ks_wide_runs r = {.judge = judge, .arena = arena, .vector = vector, .plan = ks_wide_plan(judge, vector)};
    enum ks_answer answer = bend(&r, &b);
    json_decref(r.plan);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        if (answer == KS_ANSWER_OK && b.far[o] != NULL)
            widen_bent(&vector->outputs[o].reference, ks_vector_looks(vector, o), leaps, b.small[o], b.far[o]);
        free(b.moved[o]);
        free(b.small[o]);
        free(b.far[o]);
    }
    if (answer == KS_ANSWER_TOOL || answer == KS_ANSWER_INTERRUPTED)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    if (answer != KS_ANSWER_OK) { // it does not serve such inputs
        ks_judge_note(judge, "%s: not run in double on inputs nearby: %.100s", vector->problem.name, judge->oracle.text);
        ks_worker_stop(&judge->oracle);
    }
    return KS_OK;
}

struct nearing {
    enum ks_scalar scalar;
    const struct ks_reference *reference;
    const double *value, *own; // of the same inputs: in double, and as the original has it
    struct ks_nearby *nearby;
};

// Of NaN, where nothing was seen yet, the other one.
static void widen_range(struct ks_nearby *nearby, double value)
{
    nearby->low = fminf(nearby->low, (float)value);
    nearby->high = fmaxf(nearby->high, (float)value);
}

static void near_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct nearing *n = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        double error = fabs(n->own[i] - n->value[i]);
        n->nearby[i].comes |= ks_nearby_is(n->value[i]);
        if (!isfinite(n->value[i]))
            continue;
        widen_range(&n->nearby[i], n->value[i]);
        n->nearby[i].is |= ks_nearby_is(n->own[i]);
        if (isfinite(error) && ks_reference_rounds(n->reference, i, error))
            n->nearby[i].error = fmaxf(n->nearby[i].error, (float)fmax(0, error - ks_compare_rounding(n->scalar, n->value[i])));
    }
}

// All outputs that have a reference, of one move.
static enum ks_answer come_near(struct ks_wide_runs *wide, struct ks_wide_runs *narrow, uint64_t pattern, double **value,
                                double **own, struct ks_nearby *const *nearby)
{
    struct ks_vector *vector = wide->vector;
    bool same = true; // of integers nobody asks: they are those of other inputs
    enum ks_answer answer = ks_wide_run(wide, pattern, value, &same);
    if (answer == KS_ANSWER_OK)
        answer = ks_wide_run(narrow, pattern, own, &same);
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++)
        if (nearby[o] != NULL)
            ks_parallel(ks_vector_looks(vector, o), near_part,
                        &(struct nearing){vector->layout.slots[vector->outputs[o].slot].elem.scalar,
                                          &vector->outputs[o].reference, value[o], own[o], nearby[o]});
    return answer;
}

enum ks_status ks_wide_nearby(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, struct ks_err *err)
{
    double *value[KS_LAUNCH_SLOTS] = {NULL}, *own[KS_LAUNCH_SLOTS] = {NULL};
    struct ks_nearby *nearby[KS_LAUNCH_SLOTS] = {NULL};
    bool ready;
    KS_TRY(ks_wide_ready(judge, &ready, err));
    if (!ready)
        return KS_OK;
    judge->oracle_holds = 0;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        bool refers = make_room(vector, o, &value[o]);
        make_room(vector, o, &own[o]);
        if (!refers)
            continue;
        nearby[o] = ks_nearby_new(ks_vector_looks(vector, o));
    }
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    struct ks_wide_runs wide = {.judge = judge, .arena = arena, .vector = vector, .single = true};
    struct ks_wide_runs narrow = wide;
    wide.plan = ks_wide_plan(judge, vector);
    narrow.plan = ks_launch_original(&scope, "m0");
    narrow.narrow = true;
    enum ks_answer answer = KS_ANSWER_OK;
    uint64_t pattern = 0;
    // Half as far, since two factors move; and equal ones alike by turns, for fewer bits leave the same of them.
    for (int m = 0; answer == KS_ANSWER_OK && m < 2 * PAIRS; m++) {
        pattern = far_move(judge, m, exponent_of(ks_judge_tolerance(judge).sum) + 1, pattern);
        answer = come_near(&wide, &narrow, pattern | (m / 2 % 2 == 1 ? KS_FILL_BY_NUMBER : 0), value, own, nearby);
    }
    json_decref(wide.plan);
    json_decref(narrow.plan);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        free(value[o]);
        free(own[o]);
        const struct ks_nearby *before = vector->outputs[o].reference.nearby; // by random rounding
        for (int64_t i = 0; nearby[o] != NULL && before != NULL && i < ks_vector_looks(vector, o); i++)
            nearby[o][i].is |= before[i].is;
        if (answer == KS_ANSWER_OK && nearby[o] != NULL)
            free((void *)(uintptr_t)before);
        if (answer == KS_ANSWER_OK && nearby[o] != NULL)
            vector->outputs[o].reference.nearby = nearby[o];
        else
            free(nearby[o]);
    }
    if (answer == KS_ANSWER_TOOL || answer == KS_ANSWER_INTERRUPTED)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    if (answer != KS_ANSWER_OK) { // it does not serve such inputs
        ks_judge_note(judge, "%s: not run on inputs nearby: %.100s", vector->problem.name, judge->oracle.text);
        ks_worker_stop(&judge->oracle);
    }
    return KS_OK;
}
