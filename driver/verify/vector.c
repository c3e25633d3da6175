#include "verify/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emu/emu_finding.h"

#define ALONE_NEARER 20 // powers of two: one array alone is of numbers 2^80 times normal ones
#define END_PART 64 // of a range of integers, that is taken for its end; or the last two alone, where few more pass it

// Nothing times infinity is no number: who leaves a term out because its factor is 0, or itself because it is 1, is wrong
// there. All pairs of such values, the scalars taking the first and the second in turn; then every other one is special.
static void vary_beside_specials(struct ks_problem *problem, int variation)
{
    static const double values[] = {0, 1, -1}, specials[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    int pair[2] = {(variation - 1) % 3, (variation - 1) / 3 % 3}, turn = 0;
    for (size_t i = 0; variation > 0 && variation <= KS_SPECIAL_SCALARS && i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        for (int lane = 0; arg->kind == KS_ARG_SCALAR && arg->float_scalar && lane < arg->type.elem.lanes; lane++, turn++) {
            int special = variation - KS_SPECIAL_PAIRS - 1;
            if (special < 0)
                ks_arg_put_float(arg, lane, values[pair[turn % 2]]);
            else if (special % 2 == turn % 2)
                ks_arg_put_float(arg, lane, specials[special / 2]);
        }
    }
}

// All of them, or every other one; in a fourth variation none.
static void make_tiny(struct ks_rng *rng, struct ks_problem *problem, int variation, bool positive)
{
    unsigned turn = 0;
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        for (int lane = 0; arg->kind == KS_ARG_SCALAR && arg->float_scalar && lane < arg->type.elem.lanes; lane++) {
            double value = ks_fill_tiny(arg->type.elem.scalar, ks_rng_next(rng));
            if ((variation >> turn++ % 2 & 1) == 0)
                ks_arg_put_float(arg, lane, positive ? fabs(value) : value);
        }
    }
}

// Free float scalars: any finite value may come, so several do; and those that the kernels compare with.
static void vary_scalars(struct ks_judge *judge, struct ks_problem *problem, enum ks_family family,
                         int variation)
{
    struct ks_rng *rng = &judge->rng;
    uint64_t turn = 0, turns = 8 * judge->literals.n_values;
    bool positive = judge->arith.gathers && judge->arith.kind == KS_ARITH_OTHER;
    static const double values[] = {0, 1, -1, 0, 1e4};
    static const double whole[] = {1, -1, 3};
    if (family == KS_FAMILY_SPECIAL) {
        vary_beside_specials(problem, variation);
        return;
    }
    if (family == KS_FAMILY_TINY) {
        make_tiny(rng, problem, variation, positive);
        return;
    }
    if (variation == 0 && family != KS_FAMILY_EXACT && family != KS_FAMILY_LITERALS && family != KS_FAMILY_EXTREME)
        return;
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        if (arg->kind != KS_ARG_SCALAR || !arg->float_scalar)
            continue;
        for (int lane = 0; lane < arg->type.elem.lanes; lane++) {
            if (family == KS_FAMILY_LITERALS && (turns == 0 || variation == 0)) // multiples of what it is are planted
                continue;
            if (family == KS_FAMILY_LITERALS) {
                double near = ks_literals_turn(&judge->literals, ((uint64_t)variation - 1 + turn++) % turns);
                if (near != 0)
                    ks_arg_put_float(arg, lane, positive ? fabs(near) : near);
                continue;
            }
            if (family == KS_FAMILY_EXTREME) {
                if (ks_rng_below(rng, 2) == 0)
                    ks_arg_put_float(arg, lane, ks_fill_extreme(arg->type.elem.scalar, ks_rng_next(rng)));
                continue;
            }
            double value = family == KS_FAMILY_EXACT ? whole[ks_rng_below(rng, 3)]
                                                     : values[(variation - 1) % 5];
            if (family != KS_FAMILY_EXACT && (variation - 1) % 5 == 3)
                value = ks_rng_unit(rng) + ks_rng_unit(rng) + ks_rng_unit(rng) - 1.5;
            ks_arg_put_float(arg, lane, value);
        }
    }
}

// What an integer of its type may be; `told`: as far as doubles tell them apart, else 64 bits' ends are one number with those
// beside them.
static struct ks_init any_integer(const struct ks_arg *arg, bool told)
{
    int bits = (int)(8 * ks_scalar_size(arg->elem.scalar)); // of 64 unsigned ones the same, as they are stored
    bool negative = bits == 64 || ks_scalar_is_signed(arg->elem.scalar);
    if (told && bits == 64)
        return (struct ks_init){.kind = KS_INIT_RANDINT, .a = -0x1p53, .b = 0x1p53};
    return (struct ks_init){.kind = KS_INIT_RANDINT, .a = negative ? -ldexp(1, bits - 1) : 0,
                            .b = ldexp(1, bits - negative) - (bits < 64)};
}

// Integers of the declared range alike; `open`: of their type's where none is declared. Permutations, ramps and files stay what
// they are: their kind is a promise.
static void alike_integers(struct ks_rng *rng, struct ks_problem *problem, int integers, bool open)
{
    unsigned high_low = integers == KS_INTEGERS_HIGH ? 3 : integers == KS_INTEGERS_HIGH_LOW ? 1 : integers == KS_INTEGERS_LOW_HIGH ? 2 : 0;
    for (size_t i = 0, turn = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        if (!ks_arg_has_range(arg))
            continue;
        if (open && ks_arg_is_open(arg))
            arg->init = any_integer(arg, true);
        double low = arg->init.a, high = arg->init.b;
        if (arg->init.kind == KS_INIT_DEFAULT)
            low = 0, high = arg->elem.scalar == KS_T_BOOL ? 1 : 99;
        else if (arg->init.kind == KS_INIT_UNIFORM)
            high = high - 1 > low ? high - 1 : low;
        double beside = ks_rng_below(rng, 2) == 0 ? 1 : fmax(1, floor((high - low) / END_PART));
        if (integers == KS_INTEGERS_EQUAL)
            low = high = fmin(floor(low + (high - low + 1) * ks_rng_unit(rng)), high);
        else if (high_low >> turn++ % 2 & 1)
            low = fmax(low, high - beside);
        else
            high = fmin(high, low + beside);
        arg->init = (struct ks_init){.kind = KS_INIT_RANDINT, .a = low, .b = high};
    }
}

static void open_integers(struct ks_problem *problem, int integers)
{
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        if (ks_arg_is_open(arg) && (integers == KS_INTEGERS_OPEN || integers == KS_INTEGERS_OPEN_ONE(i)))
            arg->init = any_integer(arg, false);
    }
}

// The k-th largest of the arrays' sizes, no two alike; 0: there are no more.
static int64_t largest_count(const struct ks_problem *problem, int k)
{
    int64_t most = INT64_MAX;
    for (; k >= 0; k--) {
        int64_t below = 0;
        for (size_t i = 0; i < problem->n_args; i++)
            if (problem->args[i].kind == KS_ARG_BUFFER && problem->args[i].count < most && problem->args[i].count > below)
                below = problem->args[i].count;
        most = below;
    }
    return most;
}

// Integers of which nothing is declared as indices of an array.
static void index_integers(struct ks_problem *problem, int k)
{
    const int64_t count = largest_count(problem, k);
    for (size_t i = 0; count > 0 && i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        if (ks_arg_is_open(arg))
            arg->init = (struct ks_init){.kind = KS_INIT_RANDINT, .a = 0, .b = fmin((double)(count - 1), any_integer(arg, true).b)};
    }
}

// As the variation says.
static void choose_integers(struct ks_rng *rng, struct ks_problem *problem, int integers)
{
    if (integers >= KS_INTEGERS_INDEX(0))
        index_integers(problem, integers - KS_INTEGERS_INDEX(0));
    else if (integers >= KS_INTEGERS_OPEN_ALIKE(0))
        alike_integers(rng, problem, integers - KS_INTEGERS_OPEN_ALIKE(0), true);
    else if (integers >= KS_INTEGERS_OPEN)
        open_integers(problem, integers);
    else
        alike_integers(rng, problem, integers, false);
}

static bool is_float_input(const struct ks_arg *arg)
{
    return arg->kind == KS_ARG_BUFFER && arg->role != KS_ROLE_OUT && ks_scalar_is_float(arg->elem.scalar);
}

// One array of odd numbers of 13 bits, powers of two elsewhere: what sums of products take is exact, and what is not
// rounded stays so.
static void make_odd(struct ks_problem *problem, int variation)
{
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        bool whose = (int)i == variation / KS_ODD(1, 0);
        if (is_float_input(arg))
            arg->init = (struct ks_init){.a = whose ? KS_ODD_BITS : 1, .b = whose ? KS_ODD_BITS : variation % KS_ODD(1, 0)};
    }
}

// Where several arrays are great, products of two are infinite and nothing of their sums is seen: by turns all are, and one alone,
// whose products with others stay above the -1e30 that kernels take for less than any number.
static void make_ends(struct ks_judge *judge, struct ks_problem *problem)
{
    size_t n = 0, nth = 0;
    for (size_t i = 0; i < problem->n_args; i++)
        n += is_float_input(&problem->args[i]);
    const uint64_t turn = judge->ends_turns++, whose = turn / 2 % (n + !n);
    for (size_t i = 0; n > 1 && turn % 2 == 0 && i < problem->n_args; i++)
        if (is_float_input(&problem->args[i]))
            problem->args[i].init.nearer = nth++ == whose ? ALONE_NEARER : KS_FILL_GREAT;
}

bool ks_arg_has_range(const struct ks_arg *arg)
{
    return arg->kind == KS_ARG_BUFFER && arg->role != KS_ROLE_OUT &&
           !ks_scalar_is_float(arg->elem.scalar) &&
           (arg->init.kind == KS_INIT_DEFAULT || arg->init.kind == KS_INIT_RANDINT ||
            arg->init.kind == KS_INIT_UNIFORM || arg->init.kind == KS_INIT_CAPTURE);
}

bool ks_arg_is_open(const struct ks_arg *arg)
{
    return ks_arg_has_range(arg) && arg->init.kind == KS_INIT_DEFAULT && arg->elem.scalar != KS_T_BOOL;
}

static enum ks_answer prints(const struct ks_vector *vector, struct ks_worker *worker, int which)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        enum ks_answer answer =
            ks_worker_fingerprint(worker, vector->outputs[o].slot, 0,
                                  &vector->outputs[o].print[which], ks_vector_seconds(vector));
        if (answer != KS_ANSWER_OK)
            return answer;
    }
    return KS_ANSWER_OK;
}

static enum ks_answer read_samples(const struct ks_vector *vector, struct ks_worker *worker)
{
    enum ks_answer answer = KS_ANSWER_OK;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        size_t size = ks_scalar_size(slot->elem.scalar);
        int64_t all = slot->count * slot->elem.lanes, n = ks_sample_count(all), *lanes = ks_sample_lanes(all);
        output->sample = malloc((size_t)n * size + 1);
        KS_ASSERT(output->sample != NULL);
        answer = ks_worker_gather(worker, output->slot, size, lanes, n, output->sample, ks_vector_seconds(vector));
        free(lanes);
    }
    return answer;
}

static enum ks_answer read_outputs(const struct ks_vector *vector, struct ks_worker *worker,
                                   int which)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        size_t bytes = (size_t)vector->layout.slots[output->slot].bytes;
        free(output->expected[which]);
        output->expected[which] = malloc(bytes + 1);
        KS_ASSERT(output->expected[which] != NULL);
        enum ks_answer answer = ks_worker_read(worker, output->slot, 0, output->expected[which],
                                               bytes, ks_vector_seconds(vector));
        if (answer != KS_ANSWER_OK)
            return answer;
    }
    return KS_ANSWER_OK;
}

// Lanes that the original leaves as they were: they hold the poison of each run. Both poison words
// repeat one byte, so the pattern needs no knowledge of phase.
static void find_unwritten(struct ks_vector *vector, struct ks_output *output)
{
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    size_t size = ks_scalar_size(slot->elem.scalar);
    size_t lanes = (size_t)slot->count * (size_t)slot->elem.lanes;
    const unsigned char *a = output->expected[0], *b = output->expected[1];
    if (slot->role != KS_ROLE_OUT)
        return; // contents are restored, not poisoned
    output->mask = malloc(lanes + 1);
    KS_ASSERT(output->mask != NULL);
    for (size_t i = 0; i < lanes; i++) {
        bool poison = true;
        for (size_t k = 0; k < size; k++)
            poison = poison && a[i * size + k] == (vector->poison[0] & 255) &&
                     b[i * size + k] == (vector->poison[1] & 255);
        output->mask[i] = !poison;
    }
}

static bool same_prints(const struct ks_vector *vector, const uint64_t *first)
{
    for (size_t o = 0; o < vector->n_outputs; o++)
        if (vector->outputs[o].print[0] != first[o])
            return false;
    return true;
}

// The runs of the original; the answer is the original's own.
static enum ks_answer original_runs(struct ks_judge *judge, struct ks_vector *vector, json_t *plan)
{
    struct ks_worker *oracle = &judge->oracle;
    const struct ks_run_limit limit = ks_run_limit(judge);
    double us = 0;
    enum ks_answer answer;
    for (int which = 0; which < 2; which++) {
        int64_t before = oracle->steps;
        answer = ks_vector_run(oracle, plan, vector->poison[which], true, which == 0, limit, &us);
        if (answer == KS_ANSWER_OK)
            answer = prints(vector, oracle, which);
        if (answer != KS_ANSWER_OK)
            return answer;
        vector->original_us = us;
        vector->original_steps = oracle->steps - before;
    }
    vector->deterministic = vector->all_written = true;
    uint64_t first[64];
    bool differ = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        first[o] = vector->outputs[o].print[0];
        differ = differ || first[o] != vector->outputs[o].print[1];
    }
    if (!differ)
        return KS_ANSWER_OK;
    answer = read_outputs(vector, oracle, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_run(oracle, plan, vector->poison[0], true, true, limit, &us);
    if (answer == KS_ANSWER_OK)
        answer = prints(vector, oracle, 0);
    if (answer == KS_ANSWER_OK)
        answer = read_outputs(vector, oracle, 0);
    if (answer != KS_ANSWER_OK)
        return answer;
    vector->read = true;
    vector->deterministic = same_prints(vector, first);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        find_unwritten(vector, output);
        size_t lanes = (size_t)slot->count * (size_t)slot->elem.lanes, unwritten = 0;
        size_t size = ks_scalar_size(slot->elem.scalar);
        const char *a = output->expected[0], *b = output->expected[1];
        for (size_t i = 0; i < lanes; i++) {
            bool written = output->mask == NULL || output->mask[i];
            unwritten += !written;
            // A written element that depends on the poison is read before it is written.
            if (written && vector->deterministic && memcmp(a + i * size, b + i * size, size) != 0)
                vector->deterministic = false;
        }
        if (unwritten == 0) {
            free(output->mask);
            output->mask = NULL;
        } else {
            vector->all_written = false;
        }
    }
    for (size_t o = 0; !vector->deterministic && o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        output->noise = ks_compare_noise(slot->elem, output->expected[0], output->expected[1],
                                         slot->count, NULL, output->mask);
    }
    return KS_ANSWER_OK;
}

// One alone may lie at any of the element's places within 16 bytes.
static int64_t spare_elements(struct ks_judge *judge, const struct ks_layout *layout, int skew)
{
    if (skew < KS_SKEW_ONE || skew >= KS_SKEW_ONE + (int)layout->n_slots)
        return 1;
    size_t size = layout->slots[skew - KS_SKEW_ONE].elem.size;
    return 1 + (size < 8 ? (int64_t)ks_rng_below(&judge->rng, 16 / size - 1) : 0);
}

// Kinds of special values take turns, unless a vector is of one, in an input that also does.
static void draw_seed(struct ks_judge *judge, struct ks_vector *vector, int variation)
{
    const struct ks_layout *layout = &vector->layout;
    size_t inputs[KS_LAUNCH_SLOTS], n = 0;
    for (size_t i = 0; i < layout->n_slots; i++)
        if (layout->slots[i].role != KS_ROLE_OUT && ks_scalar_is_float(layout->slots[i].elem.scalar))
            inputs[n++] = i;
    bool special = vector->family == KS_FAMILY_SPECIAL && n > 0;
    size_t kinds = vector->family == KS_FAMILY_LITERALS && n > 0 ? ks_literals_kinds(&judge->literals) : 0;
    uint64_t turn = special ? judge->specials++ : kinds > 0 ? judge->literal_turns++ : 0;
    size_t whose = turn / KS_FILL_PALETTES % (n + !n); // input
    int palette = variation > KS_SPECIAL_SCALARS ? variation - KS_SPECIAL_SCALARS : (int)(turn % KS_FILL_PALETTES);
    // A factor of zero is no reason to leave out the other one: that is the only special number then.
    bool beside = special && palette == KS_FILL_ZEROS && n > 1;
    int kind = turn % 2 == 0 ? (int)(turn / 2 % (kinds + !kinds)) // each of them, and between two others
               : turn % 4 == 1 ? KS_LITERALS_MIXED : KS_LITERALS_STEPS;
    do
        vector->seed = ks_rng_next(&judge->rng);
    while ((kinds > 0 && ks_literals_kind(&judge->literals, ks_vector_slot_seed(vector, inputs[turn / 2 / kinds % n])) != kind) ||
           (special && ks_fill_palette(ks_vector_slot_seed(vector, inputs[whose])) != palette) ||
           (beside && ks_fill_palette(ks_vector_slot_seed(vector, inputs[(whose + 1) % n])) != KS_FILL_LONE));
}

// A byte each, repeated, in either order. As floats one is tiny and the other huge, of any sign: who adds to what nobody
// wrote, or scales it, gets the sum from one and the poison from the other. (Two tiny ones would both vanish in a sum,
// and in two huge ones the sum would, so that nothing seems to have been written.)
static void draw_poison(struct ks_judge *judge, struct ks_vector *vector)
{
    uint32_t tiny = 0x01 + (uint32_t)ks_rng_below(&judge->rng, 0x30);
    uint32_t huge = 0x50 + (uint32_t)ks_rng_below(&judge->rng, 0x2f);
    uint64_t signs = ks_rng_below(&judge->rng, 4), first = ks_rng_below(&judge->rng, 2);
    vector->poison[first] = (tiny | (signs & 1 ? 0x80 : 0)) * 0x01010101u;
    vector->poison[1 - first] = (huge | (signs & 2 ? 0x80 : 0)) * 0x01010101u;
}

enum ks_status ks_vector_make(struct ks_judge *judge, struct ks_arena *arena,
                              const struct ks_problem *problem, enum ks_family family,
                              int variation, int skew, struct ks_vector *vector,
                              struct ks_err *err)
{
    *vector = (struct ks_vector){.problem = *problem, .family = family};
    vector->problem.args =
        ks_arena_memdup(arena, problem->args, problem->n_args * sizeof *problem->args);
    // Factors that are rounded to few bits may be zero where they are denormal: no bound on rounding holds there.
    for (size_t i = 0; i < problem->n_args; i++)
        vector->problem.args[i].init.normal = ks_judge_tolerance(judge).sum > 0;
    // What leaves double's range in one order or another is no measure of an order.
    for (size_t i = 0; i < problem->n_args; i++)
        vector->problem.args[i].init.factors = judge->arith.products;
    if (family == KS_FAMILY_ODD)
        make_odd(&vector->problem, variation);
    else
        vary_scalars(judge, &vector->problem, family, variation % KS_INTEGERS);
    if (family == KS_FAMILY_GREAT || family == KS_FAMILY_SLIGHT)
        make_ends(judge, &vector->problem);
    if (family != KS_FAMILY_ODD && variation >= KS_INTEGERS)
        choose_integers(&judge->rng, &vector->problem, variation / KS_INTEGERS);
    if (family == KS_FAMILY_LITERALS)
        vector->literals = &judge->literals;
    vector->layout = ks_layout_of(arena, &vector->problem);
    ks_layout_skew(&vector->layout, skew, spare_elements(judge, &vector->layout, skew));
    draw_seed(judge, vector, variation);
    vector->number = ++judge->vectors;
    draw_poison(judge, vector);
    vector->outputs = KS_NEW_ARRAY(arena, struct ks_output, vector->layout.n_slots);
    for (size_t i = 0; i < vector->layout.n_slots; i++)
        if (vector->layout.slots[i].role != KS_ROLE_IN)
            vector->outputs[vector->n_outputs++].slot = i;
    KS_ASSERT(vector->layout.n_slots <= 64);

    KS_TRY(ks_oracle_ready(judge, err));
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    if (!ks_placement_choose(&scope, KS_FLUSH_END, &vector->placement)) {
        vector->excluded = true;
        snprintf(vector->why, sizeof vector->why, "an assumption of the mark does not hold");
        return KS_OK;
    }
    vector->placement.chance = ks_rng_next(&judge->rng);
    uint64_t addresses[64];
    enum ks_answer answer = ks_vector_place(arena, vector, &judge->oracle, vector->placement, NULL, 0,
                                            KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &judge->oracle, addresses);
    if (answer == KS_ANSWER_OK) {
        json_t *plan = ks_launch_original(&scope, "m0");
        answer = original_runs(judge, vector, plan);
        json_decref(plan);
    }
    judge->oracle_holds = answer == KS_ANSWER_OK ? vector->number : 0;
    switch (answer) {
    case KS_ANSWER_OK:
        return KS_OK;
    case KS_ANSWER_LAUNCH:
    case KS_ANSWER_LIMIT:
    case KS_ANSWER_FAULT:
    case KS_ANSWER_UNSAFE:
    case KS_ANSWER_UNSUPPORTED:
    case KS_ANSWER_HANG:
        vector->excluded = true;
        snprintf(vector->why, sizeof vector->why, "%s: ", ks_answer_name(answer));
        ks_text_fit(strchr(vector->why, '\0'), sizeof vector->why - strlen(vector->why), judge->oracle.text);
        vector->hung = answer == KS_ANSWER_HANG || ks_finding_stops(judge->oracle.text);
        if (answer == KS_ANSWER_HANG)
            ks_worker_stop(&judge->oracle);
        return KS_OK;
    default:
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    }
}

void ks_vector_unrefer(struct ks_vector *vector)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_reference *reference = &vector->outputs[o].reference;
        free((void *)(uintptr_t)reference->value);
        free((void *)(uintptr_t)reference->scale);
        free((void *)(uintptr_t)reference->own);
        free((void *)(uintptr_t)reference->nearby);
        free((void *)(uintptr_t)reference->shaken);
        *reference = (struct ks_reference){0};
    }
    vector->scaled = vector->rounded = vector->sure = vector->nearby = vector->bent = vector->shaken = vector->stirred = false;
}

void ks_vector_forget(struct ks_vector *vector)
{
    ks_vector_unrefer(vector);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        free(output->expected[0]);
        free(output->expected[1]);
        free(output->mask);
        free(output->scale);
        free(output->sums);
        free(output->terms);
        free(output->lanes);
        free(output->sample);
        output->sample = NULL;
        output->lanes = NULL;
        output->n_lanes = 0;
        output->expected[0] = output->expected[1] = NULL;
        output->mask = NULL;
        output->scale = output->sums = output->terms = NULL;
    }
    vector->read = vector->referred = vector->whole = vector->thrown = false;
}

bool ks_vector_repeats(const struct ks_judge *judge, const struct ks_vector *vector)
{
    return vector->deterministic && !judge->arith.float_atomics;
}

void ks_vector_free(struct ks_vector *vector)
{
    ks_vector_forget(vector);
    vector->n_outputs = 0;
}

// The vector once more in the oracle, which has done something else since.
static enum ks_status revive(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    KS_ASSERT(vector->deterministic && vector->all_written);
    KS_TRY(ks_oracle_ready(judge, err));
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    json_t *plan = ks_launch_original(&scope, "m0");
    uint64_t addresses[KS_LAUNCH_SLOTS], print;
    double us;
    enum ks_answer answer = ks_vector_place(&scratch, vector, &judge->oracle, vector->placement, NULL, 0,
                                            KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &judge->oracle, addresses);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_run(&judge->oracle, plan, vector->poison[0], true, true, ks_run_limit(judge), &us);
    bool same = true;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        answer = ks_worker_fingerprint(&judge->oracle, vector->outputs[o].slot, 0, &print,
                                       ks_vector_seconds(vector));
        same = same && print == vector->outputs[o].print[0];
    }
    json_decref(plan);
    ks_arena_free(&scratch);
    if (answer != KS_ANSWER_OK)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    if (!same)
        KS_FAIL(err, KS_E_DEVICE, "the original gave another result for the same inputs than before; "
                                  "run `ks doctor`");
    judge->oracle_holds = vector->number;
    return KS_OK;
}

static enum ks_status bring(struct ks_judge *judge, struct ks_vector *vector, bool whole, struct ks_err *err)
{
    if (judge->oracle_holds != vector->number)
        KS_TRY(revive(judge, vector, err));
    enum ks_answer answer = whole ? read_outputs(vector, &judge->oracle, 0) : read_samples(vector, &judge->oracle);
    return answer == KS_ANSWER_OK ? KS_OK : ks_answer_status(&judge->oracle, answer, "the oracle", err);
}

enum ks_status ks_vector_read(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    if (vector->read)
        return KS_OK;
    KS_TRY(bring(judge, vector, true, err));
    vector->read = true;
    return KS_OK;
}

enum ks_status ks_vector_sample(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    bool large = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        large = large || slot->count * slot->elem.lanes > KS_SAMPLE_LANES;
        if (vector->outputs[o].sample != NULL)
            return KS_OK;
    }
    return vector->read || !large ? ks_vector_read(judge, vector, err) : bring(judge, vector, false, err);
}
