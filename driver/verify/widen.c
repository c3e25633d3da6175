// How an answer is compared with the original's, and when to ask for more to compare it by; declared in verify/vector.h.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "verify/rounding.h"
#include "verify/scale.h"
#include "verify/vector.h"
#include "verify/wide.h"

#define SIGN_PATTERNS 4
#define SIGN_PATTERNS_BIG 1
#define SIGN_PATTERNS_SURE 24 // that some throw makes all terms of an element add up
#define FEW_WRONG 8           // one in so many, at most
#define LEAPS (1 << 20)       // one in so many elements
#define BIG_BYTES (32 << 20)
#define PICK_FROM (1 << 20)   // lanes of an output
#define PICKED (1 << 18)      // of the wrong ones, at most
#define MANY_WRONG 256        // so many of all: more is no matter of luck

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

// Whether no input was put where the original may decide: what is near a threshold there is so by chance.
static bool drawn_freely(const struct ks_vector *vector)
{
    return (vector->family == KS_FAMILY_DECLARED || vector->family == KS_FAMILY_WIDE) && vector->literals == NULL && vector->brink == 0 &&
           vector->flooded == 0 && vector->twins == 0 && vector->lattice == 0;
}

// Whether its numbers are of sizes far apart, as the judge chose them and not where anything turns.
static bool of_far_sizes(const struct ks_vector *vector)
{
    switch (vector->family) {
    case KS_FAMILY_WIDE:
    case KS_FAMILY_SPECIAL:
    case KS_FAMILY_LITERALS:
    case KS_FAMILY_EXTREME:
    case KS_FAMILY_GREAT: return vector->brink == 0;
    default: return false;
    }
}

// Of great terms that nearly cancel, what the mark lets their sum err by takes an element from one side of a limit to the other, or
// an infinite one to the other sign. Where few are wrong that may be all: few of those that were looked at, or of all, for wrong ones
// are looked at because they are.
static bool may_be_undecided(const struct ks_judge *judge, const struct ks_vector *vector, const struct ks_comparison *so_far, int64_t looks)
{
    const bool few = so_far->sure <= 1 + looks / MANY_WRONG || so_far->bad <= 1 + so_far->compared / MANY_WRONG;
    return ks_judge_tolerance(judge).sum > 0 && !vector->undecided && so_far->sure > 0 && few && of_far_sizes(vector);
}

// Runs on inputs as far away as the mark lets terms err; and once these were made, what lies between their results counts.
static enum ks_status look_nearby(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, bool *more, struct ks_err *err)
{
    *more = true;
    vector->proves[0] = 0; // of a stricter comparison
    if (!vector->nearby) {
        vector->nearby = true;
        return ks_wide_nearby(judge, arena, vector, err);
    }
    vector->undecided = true;
    for (size_t o = 0; o < vector->n_outputs; o++)
        vector->outputs[o].reference.between = vector->outputs[o].reference.nearby != NULL;
    return KS_OK;
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
        return ks_vector_sum_terms(judge, arena, vector, SIGN_PATTERNS_SURE, err);
    }
    // Of terms that a minimum or maximum hides nobody knows how many cancel.
    bool sums = judge->arith.kind == KS_ARITH_MULADD;
    if (!vector->referred && (judge->arith.products || (sums && judge->arith.clips && vector->outputs[output].scale != NULL) ||
                              (sums && may_be_rounding(judge, vector, output, got, poison))))
        return refer_values(judge, arena, vector, more, err);
    // Of five throws an element in thousands stands nearly still in each, so that a small problem's are few, too.
    if (sums && vector->referred && vector->outputs[output].reference.value != NULL && !vector->thrown &&
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
        return ks_wide_bent(judge, arena, false, vector, err);
    }
    if (sums && may_be_undecided(judge, vector, so_far, so_far->compared))
        return vector->referred ? look_nearby(judge, arena, vector, more, err) : refer_values(judge, arena, vector, more, err);
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
        if (referred && !again && !vector->nearby && so_far->sure > 0 && ks_judge_tolerance(judge).sum > 0)
            return look_nearby(judge, arena, vector, more, err);
        // On the flat side of where it bends an element shows nothing of the sum that another order brings to the other side.
        if (referred && !again && !vector->bent && so_far->sure > 0 && so_far->sure <= 1 + looks / FEW_WRONG) {
            vector->bent = *more = true;
            vector->proves[0] = 0; // of a stricter comparison
            return ks_wide_bent(judge, arena, false, vector, err);
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
        // Behind a sigmoid of a sum whose great terms cancel there is all or nothing, and another order takes one in millions across.
        if (referred && !again && !vector->leapt && so_far->sure > 0 && so_far->sure <= so_far->compared / LEAPS && drawn_freely(vector)) {
            vector->leapt = *more = true;
            vector->proves[0] = 0; // of a stricter comparison
            return ks_wide_bent(judge, arena, true, vector, err);
        }
        if (referred && !again && may_be_undecided(judge, vector, so_far, looks))
            return look_nearby(judge, arena, vector, more, err);
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
        KS_TRY(ks_vector_sum_terms(judge, arena, vector, patterns, err));
    ks_vector_compare(judge, vector, output, got, poison, NULL, comparison);
    while (comparison->bad > 0 && more) {
        KS_TRY(widen(judge, arena, vector, output, got, poison, comparison, &more, err));
        if (more)
            ks_vector_compare(judge, vector, output, got, poison, NULL, comparison);
    }
    return KS_OK;
}
