// The sum of absolute terms behind each element of an output, by which a derived tolerance is measured: the original's own on
// other contents.
#include "verify/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

#define FEW_ROUNDINGS 6       // of a text without loops: N of them, written otherwise perhaps 2 N + 2, each by u of the terms' sum at most
#define MANY_TERMS 16.0f // up to so many, 16 units of the terms' sum are no less than what a sequence may err by

struct largest {
    enum ks_scalar scalar;
    const void *bytes;
    float *into;
};

static void keep_largest(void *context, size_t part, int64_t first, int64_t count)
{
    const struct largest *l = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        float value = (float)fabs(ks_scalar_value(l->scalar, l->bytes, i));
        if (value > l->into[i] || isnan(value))
            l->into[i] = value;
    }
}

// One run of the original on other contents; |outputs| join `into` by maximum.
static enum ks_answer run_for_scale(struct ks_judge *judge, struct ks_arena *arena,
                                    struct ks_vector *vector, json_t *plan,
                                    enum ks_contents contents, uint64_t pattern, float **into)
{
    uint64_t addresses[64];
    double us;
    struct ks_worker *oracle = &judge->oracle;
    enum ks_answer answer = ks_vector_place(arena, vector, oracle, vector->placement, NULL, 0,
                                            contents, pattern);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, oracle, addresses);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_run(oracle, plan, 0, true, false, ks_run_limit_measuring(judge), &us);
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        if (!ks_scalar_is_float(slot->elem.scalar))
            continue;
        void *bytes = malloc((size_t)slot->bytes + 1);
        KS_ASSERT(bytes != NULL);
        answer = ks_worker_read(oracle, vector->outputs[o].slot, 0, bytes, (size_t)slot->bytes,
                                ks_vector_seconds(vector));
        struct largest largest = {slot->elem.scalar, bytes, into[o]};
        if (answer == KS_ANSWER_OK)
            ks_parallel(slot->count * slot->elem.lanes, keep_largest, &largest);
        free(bytes);
    }
    return answer;
}

static void abs_scalars(struct ks_problem *problem, bool ones)
{
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        for (int lane = 0; arg->kind == KS_ARG_SCALAR && arg->float_scalar &&
                           lane < arg->type.elem.lanes; lane++)
            ks_arg_put_float(arg, lane, ones ? 1 : fabs(ks_scalar_value(arg->type.elem.scalar, arg->bytes, lane)));
    }
}

// Takes the numbers of terms; NULL where all are few and their absolute sum is known.
static float *keep_terms(const struct ks_judge *judge, const struct ks_vector *vector, size_t output, float *terms)
{
    const struct ks_slot *slot = &vector->layout.slots[vector->outputs[output].slot];
    bool many = judge->arith.clips;
    for (int64_t i = 0; terms != NULL && !many && i < slot->count * slot->elem.lanes; i++)
        many = terms[i] >= MANY_TERMS;
    if (many)
        return terms;
    free(terms);
    return NULL;
}

// The sum of absolute terms of each element, and what a sequence of so many may err by besides.
struct scaling {
    enum ks_scalar scalar;
    const void *expected;
    const float *terms; // NULL: so few roundings that `share` of the sum of terms holds all of them, and `least` what is denormal
    double coarser, share, least;
    float *scale;
};

static void scale_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct scaling *s = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        double want = fabs(ks_scalar_value(s->scalar, s->expected, i));
        if (isfinite(s->scale[i]) && isfinite(want))
            s->scale[i] = (float)(s->least + s->coarser * (s->share * (double)s->scale[i] +
                                                           (s->terms != NULL ? ks_compare_sequence(s->terms[i]) / 16 * want : 0)));
    }
}

static void drop_scales(struct ks_vector *vector)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        free(vector->outputs[o].terms);
        free(vector->outputs[o].scale);
        free(vector->outputs[o].sums);
        vector->outputs[o].terms = vector->outputs[o].scale = vector->outputs[o].sums = NULL;
    }
}

// The step of denormal numbers of the type that rounds so.
static double denormal(double u)
{
    return u == 0x1p-11 ? 0x1p-24 : u == 0x1p-8 ? 0x1p-133 : u == 0x1p-24 ? 0x1p-149 : 0;
}

enum ks_status ks_vector_sum_terms(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, int patterns,
                                   struct ks_err *err)
{
    vector->scaled = true;
    drop_scales(vector);
    KS_TRY(ks_oracle_ready(judge, err));
    judge->oracle_holds = 0;
    struct ks_vector other = *vector; // same layout and seed, other scalars
    float *terms[64] = {NULL};
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        size_t lanes = (size_t)slot->count * (size_t)slot->elem.lanes;
        if (!ks_scalar_is_float(slot->elem.scalar))
            continue;
        vector->outputs[o].scale = calloc(lanes + 1, sizeof(float));
        terms[o] = calloc(lanes + 1, sizeof(float));
        KS_ASSERT(vector->outputs[o].scale != NULL && terms[o] != NULL);
    }
    float *scales[64];
    for (size_t o = 0; o < vector->n_outputs; o++)
        scales[o] = vector->outputs[o].scale;
    enum ks_answer answer = KS_ANSWER_OK;
    for (int pass = -2; answer == KS_ANSWER_OK && pass < patterns; pass++) {
        other.problem.args = ks_arena_memdup(arena, vector->problem.args,
                                             vector->problem.n_args * sizeof *other.problem.args);
        abs_scalars(&other.problem, pass == -2);
        struct ks_scope scope = ks_judge_scope(judge, &other.problem, &other.layout, NULL);
        json_t *plan = ks_launch_original(&scope, "m0");
        answer = pass == -2 ? run_for_scale(judge, arena, &other, plan, KS_CONTENTS_ONES, 0, terms)
                 : pass == -1
                     ? run_for_scale(judge, arena, &other, plan, KS_CONTENTS_ABSOLUTE, 0, scales)
                     : run_for_scale(judge, arena, &other, plan, KS_CONTENTS_SIGNED,
                                     ks_rng_next(&judge->rng) | 1, scales);
        json_decref(plan);
    }
    double unit = judge->arith.u;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        if (output->scale == NULL)
            continue;
        double own = slot->elem.scalar == KS_T_F64 ? 0x1p-53 : 0x1p-24;
        double coarser = unit > own ? unit / own : 1;
        if (ks_judge_tolerance(judge).sum > 0) {
            size_t size = (size_t)(slot->count * slot->elem.lanes) * sizeof *output->sums;
            output->sums = malloc(size + 1);
            KS_ASSERT(output->sums != NULL);
            memcpy(output->sums, output->scale, size);
        }
        const bool few = judge->arith.roundings > 0 && judge->arith.roundings <= FEW_ROUNDINGS;
        const double share = few ? (2 * judge->arith.roundings + 2) / 16.0 : 1;
        ks_parallel(slot->count * slot->elem.lanes, scale_part,
                    &(struct scaling){slot->elem.scalar, output->expected[0], few ? NULL : terms[o], coarser, share,
                                      few ? share * denormal(unit) / 2 / own : 0, output->scale});
        if (!vector->deterministic && output->expected[1] != NULL)
            output->noise = ks_compare_noise(slot->elem, output->expected[0], output->expected[1],
                                             slot->count, output->scale, output->mask);
    }
    for (size_t o = 0; o < vector->n_outputs; o++)
        vector->outputs[o].terms = keep_terms(judge, vector, o, terms[o]);
    if (answer == KS_ANSWER_OK)
        return KS_OK;
    drop_scales(vector);
    if (answer == KS_ANSWER_INTERRUPTED || answer == KS_ANSWER_TOOL)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    if (ks_judge_tolerance(judge).sum > 0)
        ks_judge_note(judge, "%s: tol(sum) admits nothing more: the original does not serve absolute inputs", vector->problem.name);
    return KS_OK; // the original does not serve |inputs|: element-wise tolerance instead
}
