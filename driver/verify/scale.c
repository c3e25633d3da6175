// What a derived tolerance is measured by: the sum of absolute terms behind each element of an output, which is the
// original's own on other contents, and when to ask for more; declared in verify/vector.h.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/parallel.h"
#include "verify/rounding.h"
#include "verify/vector.h"
#include "verify/wide.h"

#define SIGN_PATTERNS 4
#define SIGN_PATTERNS_BIG 1
#define SIGN_PATTERNS_SURE 24 // that some throw makes all terms of an element add up
#define FEW_ROUNDINGS 6       // of a text without loops: N of them, written otherwise perhaps 2 N + 2, each by u of the terms' sum at most
#define FEW_WRONG 8           // one in so many, at most
#define BIG_BYTES (32 << 20)
#define PICK_FROM (1 << 20) // lanes of an output
#define PICKED (1 << 18)    // of the wrong ones, at most
#define MANY_WRONG 256      // so many of all: more is no matter of luck
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
        answer = ks_vector_run(oracle, plan, 0, true, false, ks_run_limit(judge), &us);
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

// The sum of absolute terms of each element, by so many throws of signs where terms are of either sign.
static enum ks_status sum_terms(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector,
                                int patterns, struct ks_err *err)
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

// Whether |inputs| leave terms of either sign: some are subtracted, or integers make them, which stay as they are since they may
// be indices.
static bool of_either_sign(const struct ks_judge *judge, const struct ks_vector *vector)
{
    bool integers = false;
    for (size_t i = 0; i < vector->layout.n_slots; i++)
        integers = integers || (vector->layout.slots[i].role != KS_ROLE_OUT && !ks_scalar_is_float(vector->layout.slots[i].elem.scalar));
    return judge->arith.subtracts || (judge->arith.of_integers && integers);
}

bool ks_vector_measures(const struct ks_output *output, enum ks_scalar scalar, int64_t lane)
{
    return output->scale == NULL || (double)output->scale[lane] < ks_compare_end(scalar) / 2;
}

struct allowing {
    const struct ks_output *output;
    enum ks_scalar scalar;
    float typical; // what terms may have come to that cancel in one and the same input: v - v^3 about 1
    float *most;
};

static void allow_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct allowing *a = context;
    const struct ks_output *o = a->output;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        float terms = o->terms != NULL ? o->terms[i] : 1;
        bool known = ks_vector_measures(o, a->scalar, i) && (double)terms < KS_LONG_SUM;
        a->most[i] = known ? fmaxf(o->scale[i] * fmaxf(1, terms), a->typical) : FLT_MAX;
    }
}

// Sixteen times the root mean square of what is finite.
static float typical(enum ks_scalar scalar, const void *expected, int64_t lanes)
{
    double squares = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < lanes; i++) {
        double value = ks_scalar_value(scalar, expected, i);
        squares += isfinite(value) ? value * value : 0;
        n += isfinite(value);
    }
    return n > 0 ? (float)fmin(16 * sqrt(squares / (double)n), FLT_MAX) : 0;
}

// Whether no element of a wrong answer is farther from the original's than K terms added in sequence can err (K u S):
// where they round alike that is thousands of units, and where the sum has outgrown its terms all of it; nor than so many of the output's typical size. How far is not
// known where the output's type does not hold the terms' sum: a product of halves that cancel.
static bool may_be_rounding(const struct ks_judge *judge, struct ks_vector *vector, size_t output, const void *got,
                            int poison)
{
    struct ks_output *o = &vector->outputs[output];
    const struct ks_slot *slot = &vector->layout.slots[o->slot];
    int64_t lanes = slot->count * slot->elem.lanes;
    const void *expected = o->expected[poison != 0 && o->expected[1] != NULL];
    float *scale = o->scale, *most = scale != NULL ? malloc((size_t)lanes * sizeof *most) : NULL;
    struct ks_lanes bad = {.every = 1};
    struct ks_comparison c;
    if (most == NULL)
        return false;
    ks_parallel(lanes, allow_part, &(struct allowing){o, slot->elem.scalar, typical(slot->elem.scalar, expected, lanes), most});
    o->scale = most;
    ks_vector_compare(judge, vector, output, got, poison, &bad, &c);
    o->scale = scale;
    free(most);
    bool may = true;
    for (int64_t i = 0; may && i < bad.n; i++)
        may = isinf(ks_scalar_value(slot->elem.scalar, expected, bad.at[i])) !=
              isinf(ks_scalar_value(slot->elem.scalar, got, bad.at[i]));
    free(bad.at);
    return may;
}

// A long sum of floats is wrong itself, and a better one differs from it; one that does not fit its type's absolute terms
// is measured by nothing else; and in products of many factors the order decides what leaves the type's range on the way.
// There the value in double tells as well.
static enum ks_status refer_values(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector,
                                 bool *more, struct ks_err *err)
{
    vector->referred = true;
    if (judge->dropped != NULL && !judge->wide.tried) { // beside the session that may compile
        judge->unsettled = true;
        return KS_OK;
    }
    KS_TRY(ks_wide_vector(judge, arena, vector, err));
    for (size_t o = 0; o < vector->n_outputs; o++)
        *more = *more || vector->outputs[o].reference.value != NULL;
    vector->proves[0] = 0; // of a stricter comparison
    return KS_OK;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Outputs of many lanes are evaluated on an even sample, and on `wrong` ones beside those that they are on already.
static void pick(struct ks_vector *vector, size_t output, const struct ks_lanes *wrong)
{
    struct ks_output *o = &vector->outputs[output];
    const struct ks_slot *slot = &vector->layout.slots[o->slot];
    int64_t all = slot->count * slot->elem.lanes, n_wrong = wrong != NULL ? wrong->n : 0;
    if (all <= PICK_FROM || vector->whole) {
        free(o->lanes);
        o->lanes = NULL;
        o->n_lanes = 0;
        return;
    }
    int64_t sample = o->lanes == NULL ? ks_sample_count(all) : 0, n = 0;
    o->lanes = realloc(o->lanes, (size_t)(o->n_lanes + sample + n_wrong) * sizeof *o->lanes);
    KS_ASSERT(o->lanes != NULL);
    for (int64_t i = 0; i < sample; i++)
        o->lanes[o->n_lanes++] = ks_sample_lane(all, i);
    for (int64_t i = 0; i < n_wrong; i++)
        o->lanes[o->n_lanes++] = wrong->at[i];
    qsort(o->lanes, (size_t)o->n_lanes, sizeof *o->lanes, by_number);
    for (int64_t i = 0; i < o->n_lanes; i++)
        if (n == 0 || o->lanes[n - 1] != o->lanes[i])
            o->lanes[n++] = o->lanes[i];
    o->n_lanes = n;
}

static void pick_all(const struct ks_judge *judge, struct ks_vector *vector, size_t output, const void *got, int poison,
                     const struct ks_comparison *so_far)
{
    struct ks_lanes wrong = {.every = 1 + (so_far->bad - 1) / PICKED};
    struct ks_comparison c;
    ks_vector_compare(judge, vector, output, got, poison, &wrong, &c);
    for (size_t o = 0; o < vector->n_outputs; o++)
        pick(vector, o, o == output ? &wrong : NULL);
    free(wrong.at);
}

// Where many lanes are wrong though none that was looked at is, what those are usually allowed serves the others. false: it
// is in force already, or all lanes are known.
static bool allow_others(struct ks_vector *vector, size_t output)
{
    struct ks_output *o = &vector->outputs[output];
    const struct ks_slot *slot = &vector->layout.slots[o->slot];
    int64_t all = slot->count * slot->elem.lanes;
    if (o->reference.value == NULL || o->reference.lanes == NULL || o->reference.others > 0)
        return false;
    int64_t *lanes = ks_sample_lanes(all);
    o->reference.others = ks_reference_usual(&o->reference, slot->elem.scalar, lanes, ks_sample_count(all));
    free(lanes);
    return o->reference.others > 0;
}

// On odd numbers: the value in double, and how rounding errs where a result is made of an exact sum.
static enum ks_status refer_odd(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, struct ks_err *err)
{
    ks_vector_unrefer(vector);
    KS_TRY(ks_wide_vector(judge, arena, vector, err));
    vector->proves[0] = 0; // of a stricter comparison
    return ks_rounding_errors(judge, arena, vector, KS_ROUNDINGS, err);
}

// On the even sample and on what is wrong; then on all.
static enum ks_status widen_odd(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, size_t output,
                                const void *got, int poison, const struct ks_comparison *so_far, bool *more, struct ks_err *err)
{
    bool known = vector->outputs[output].reference.value != NULL;
    *more = false;
    if (known && (so_far->sure > 0 || vector->whole))
        return KS_OK;
    vector->whole = known && so_far->bad > PICKED;
    pick_all(judge, vector, output, got, poison, so_far);
    KS_TRY(refer_odd(judge, arena, vector, err));
    *more = vector->outputs[output].reference.value != NULL;
    return KS_OK;
}

enum ks_status ks_vector_shows(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, bool *shows,
                               struct ks_err *err)
{
    if (vector->shows == 0) {
        KS_TRY(ks_vector_read(judge, vector, err));
        for (size_t o = 0; o < vector->n_outputs; o++)
            pick(vector, o, NULL);
        KS_TRY(refer_odd(judge, arena, vector, err));
        KS_TRY(ks_wide_shows(judge, arena, vector, shows, err));
        vector->shows = *shows ? 1 : -1;
    }
    *shows = vector->shows > 0;
    return KS_OK;
}

// Of few throws one element or another stands still in each: a large problem had few, and may have more.
static bool few_moves(const struct ks_vector *vector)
{
    return !vector->thrown && ks_problem_bytes(&vector->problem) > KS_FEW_MOVES_BYTES;
}

// More to compare a wrong answer by, *more, that only makes more answers right.
static enum ks_status widen(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector,
                            size_t output, const void *got, int poison, const struct ks_comparison *so_far,
                            bool *more, struct ks_err *err)
{
    *more = false;
    if (vector->family == KS_FAMILY_ODD)
        return widen_odd(judge, arena, vector, output, got, poison, so_far, more, err);
    // Of few throws one element or another had none that made its terms add up.
    if (judge->arith.kind == KS_ARITH_MULADD && of_either_sign(judge, vector) && !vector->sure && !vector->referred &&
        so_far->bad <= 1 + so_far->compared / FEW_WRONG) {
        vector->sure = *more = true;
        vector->proves[0] = 0; // of a stricter comparison
        return sum_terms(judge, arena, vector, SIGN_PATTERNS_SURE, err);
    }
    // Of terms that a minimum or maximum hides nobody knows how many cancel.
    bool sums = judge->arith.kind == KS_ARITH_MULADD;
    if (!vector->referred && (judge->arith.products || (sums && judge->arith.clips && vector->outputs[output].scale != NULL) ||
                              (sums && may_be_rounding(judge, vector, output, got, poison))))
        return refer_values(judge, arena, vector, more, err);
    if (sums && vector->referred && vector->outputs[output].reference.value != NULL && few_moves(vector) &&
        so_far->bad <= 1 + so_far->compared / MANY_WRONG) {
        const bool sure = vector->sure;
        ks_vector_unrefer(vector);
        vector->scaled = vector->thrown = true;
        vector->sure = sure;
        return refer_values(judge, arena, vector, more, err);
    }
    // A limit cuts the sum of the terms, too, and of few moves some element follows none: how the sum rounds is measured.
    if (sums && judge->arith.clips && vector->outputs[output].reference.value != NULL && !vector->rounded) {
        vector->rounded = *more = true;
        vector->proves[0] = 0; // of a stricter comparison
        return ks_rounding_errors(judge, arena, vector, so_far->bad <= 1 + so_far->compared / FEW_WRONG ? KS_ROUNDINGS_SURE : KS_ROUNDINGS, err);
    }
    if (sums && vector->rounded && !vector->bent && so_far->bad <= 1 + so_far->compared / FEW_WRONG) {
        vector->bent = *more = true;
        vector->proves[0] = 0; // of a stricter comparison
        return ks_wide_bent(judge, arena, vector, err);
    }
    if (judge->arith.kind != KS_ARITH_OTHER || !judge->arith.joins || judge->arith.products)
        return KS_OK;
    bool referred = false;
    for (size_t o = 0; o < vector->n_outputs; o++)
        referred = referred || vector->outputs[o].reference.value != NULL;
    // Of lanes that nobody looked at nobody knows: most are off by rounding alone, where a sum is long.
    const int64_t looks = vector->outputs[output].reference.value != NULL ? ks_vector_looks(vector, output) : so_far->compared;
    if (vector->rounded || (vector->scaled && !referred)) {
        // Wrong where all was looked at that can be; right wherever it was: then the other wrong ones are, too.
        bool again = so_far->sure > 0 && so_far->sure <= looks / MANY_WRONG && few_moves(vector);
        // Where a sum lies near what fp32's range makes of it, another one that the mark admits is on the other side.
        if (referred && !again && !vector->nearby && so_far->sure > 0 && ks_judge_tolerance(judge).sum > 0) {
            vector->nearby = *more = true;
            vector->proves[0] = 0; // of a stricter comparison
            return ks_wide_nearby(judge, arena, vector, err);
        }
        // On the flat side of where it bends an element shows nothing of the sum that another order brings to the other side.
        if (referred && !again && !vector->bent && so_far->sure > 0 && so_far->sure <= 1 + looks / FEW_WRONG) {
            vector->bent = *more = true;
            vector->proves[0] = 0; // of a stricter comparison
            return ks_wide_bent(judge, arena, vector, err);
        }
        // In a few runs one element or another never happened to round badly.
        if (referred && !again && !vector->sure && so_far->sure > 0 && so_far->sure <= 1 + looks / FEW_WRONG) {
            vector->sure = *more = true;
            vector->proves[0] = 0; // of a stricter comparison
            return ks_rounding_errors(judge, arena, vector, KS_ROUNDINGS_SURE, err);
        }
        // Rounding within an element that its result and its inputs do not show: a difference of two sums.
        if (referred && !again && !vector->shaken && so_far->sure > 0) {
            vector->shaken = *more = true;
            vector->proves[0] = 0; // of a stricter comparison
            return ks_wide_shaken(judge, arena, vector, err);
        }
        if (referred && !again && !vector->stirred && so_far->sure > 0 && ks_wide_stirs(vector)) {
            vector->stirred = *more = true;
            vector->proves[0] = 0; // of a stricter comparison
            return ks_rounding_errors(judge, arena, vector, KS_ROUNDINGS_SURE, err);
        }
        if (!referred || (so_far->sure > 0 && !again))
            return KS_OK;
        vector->thrown = vector->thrown || again;
        if (so_far->sure == 0 && so_far->bad > PICKED && allow_others(vector, output)) {
            *more = true;
            return KS_OK;
        }
        if (so_far->sure == 0 || so_far->bad <= PICKED) { // else it is those that were looked at that need more
            vector->whole = so_far->bad > PICKED;
            pick_all(judge, vector, output, got, poison, so_far);
        }
        ks_vector_unrefer(vector);
    } else if (!vector->scaled) {
        pick_all(judge, vector, output, got, poison, so_far);
    }
    *more = true;
    vector->proves[0] = 0; // of a stricter comparison
    if (vector->scaled) {
        vector->rounded = true;
        return ks_rounding_errors(judge, arena, vector, KS_ROUNDINGS, err);
    }
    vector->scaled = true;
    KS_TRY(ks_wide_vector(judge, arena, vector, err));
    return ks_rounding_doubles(judge, arena, vector, err);
}

enum ks_status ks_vector_settle(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector,
                                size_t output, const void *got, int poison,
                                struct ks_comparison *comparison, struct ks_err *err)
{
    bool derived = judge->kernel->mark->mark->tolerance.kind == KS_TOL_DERIVED, more = derived;
    KS_TRY(ks_vector_read(judge, vector, err));
    bool big = ks_problem_bytes(&vector->problem) > BIG_BYTES;
    int patterns = !of_either_sign(judge, vector) ? 0 : big ? SIGN_PATTERNS_BIG : SIGN_PATTERNS;
    if (derived && judge->arith.kind == KS_ARITH_MULADD && !vector->scaled)
        KS_TRY(sum_terms(judge, arena, vector, patterns, err));
    ks_vector_compare(judge, vector, output, got, poison, NULL, comparison);
    while (comparison->bad > 0 && more) {
        KS_TRY(widen(judge, arena, vector, output, got, poison, comparison, &more, err));
        if (more)
            ks_vector_compare(judge, vector, output, got, poison, NULL, comparison);
    }
    return KS_OK;
}
