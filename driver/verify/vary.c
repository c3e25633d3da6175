#include "verify/vary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"

#define ALONE_NEARER 20 // powers of two: one array alone is of numbers 2^80 times normal ones
#define HALF_NEARER 50  // all arrays are of numbers 2^50 times normal ones: products of three are infinite
#define THIRD_NEARER 67 // or 2^33 times: those of four
enum { ENDS_GREAT, ENDS_ALONE, ENDS_HALF, ENDS_THIRD, ENDS_TURNS };
#define LARGE 100       // literals from here on
#define LARGEST 0x1p90  // and up to here: what is further down kernels take for less than any number, and products pass it
#define STRIPE_PART 64 // a power of two
#define END_PART 64 // of a range of integers, that is taken for its end; or the last two alone, where few more pass it

// Each in a range of its own.
static_assert(KS_LATTICE + KS_LITERALS_LATTICES <= KS_INTEGERS && KS_SPECIAL_SCALARS + KS_FILL_PALETTES <= KS_INTEGERS,
              "a variation would be taken for another one's");

// Nothing times infinity is no number: who leaves a term out because its factor is 0, or itself because it is 1, is wrong
// there. All pairs of such values, the scalars taking the first and the second in turn, and each input alone being special,
// or what other terms are would hide it; then every other scalar is special.
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

// All of them the same: one that is compared with two would be equal to neither.
static void put_literal(const struct ks_judge *judge, struct ks_problem *problem, int which)
{
    const uint64_t n = judge->literals.n_values;
    const double value = ks_literals_turn(&judge->literals, (uint64_t)(which % KS_NEAR_LITERALS) + (which < KS_NEAR_LITERALS ? 0 : 4 * n));
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        for (int lane = 0; arg->kind == KS_ARG_SCALAR && arg->float_scalar && lane < arg->type.elem.lanes; lane++)
            ks_arg_put_float(arg, lane, value);
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
            // Multiples of what it is are planted, or that itself.
            if (family == KS_FAMILY_LITERALS && (turns == 0 || variation == 0 || variation >= KS_LATTICE))
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
            if (family == KS_FAMILY_GREAT && value == 0)
                continue; // zero times a product that passes the range tells one order from another, and nothing else
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

// What is declared of integers, both ends included.
struct range {
    double low, high;
};

static struct range range_of(const struct ks_arg *arg)
{
    const double low = arg->init.a, high = arg->init.b;
    if (arg->init.kind == KS_INIT_DEFAULT)
        return (struct range){0, arg->elem.scalar == KS_T_BOOL ? 1 : 99};
    return (struct range){low, arg->init.kind == KS_INIT_UNIFORM ? fmax(high - 1, low) : high};
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
        const struct range range = range_of(arg);
        double low = range.low, high = range.high;
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
        const bool beside = integers >= KS_INTEGERS_BRINK_OPEN(0) && integers != KS_INTEGERS_BRINK_OPEN(i);
        if (ks_arg_is_open(arg) && (beside || integers == KS_INTEGERS_OPEN || integers == KS_INTEGERS_OPEN_ONE(i)))
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
    if (integers >= KS_INTEGERS_FLOOD(0, 0) && integers < KS_INTEGERS_BRINK_OPEN(0))
        return; // of one array alone (ks_vary_flood)
    if (integers >= KS_INTEGERS_BRINK_OPEN(0))
        open_integers(problem, integers);
    else if (integers >= KS_INTEGERS_INDEX(0))
        index_integers(problem, integers - KS_INTEGERS_INDEX(0));
    else if (integers >= KS_INTEGERS_OPEN_ALIKE(0))
        alike_integers(rng, problem, integers - KS_INTEGERS_OPEN_ALIKE(0), true);
    else if (integers >= KS_INTEGERS_OPEN)
        open_integers(problem, integers);
    else
        alike_integers(rng, problem, integers, false);
}

// One array of odd numbers of 13 bits, powers of two elsewhere: what sums of products take is exact, and what is not
// rounded stays so.
static void make_odd(struct ks_problem *problem, int variation)
{
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        bool whose = (int)i == variation / KS_ODD(1, 0);
        if (ks_arg_is_float_input(arg))
            arg->init = (struct ks_init){.a = whose ? KS_ODD_BITS : 1, .b = whose ? KS_ODD_BITS : variation % KS_ODD(1, 0)};
    }
}

// Where several arrays are great, products of two are infinite and nothing of their sums is seen: by turns all are, and one alone,
// whose products with others stay above the -1e30 that kernels take for less than any number. Or all are less so: the square of
// such a number is none too great, but what it is multiplied by on another's way.
static void make_ends(struct ks_judge *judge, struct ks_problem *problem, bool slight)
{
    size_t n = 0, nth = 0;
    for (size_t i = 0; i < problem->n_args; i++)
        n += ks_arg_is_float_input(&problem->args[i]);
    const uint64_t turn = judge->ends_turns[slight]++, whose = turn / ENDS_TURNS % (n + !n);
    const int nearer[ENDS_TURNS] = {[ENDS_ALONE] = n > 1 ? KS_FILL_GREAT : 0, [ENDS_HALF] = HALF_NEARER, [ENDS_THIRD] = THIRD_NEARER};
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        if (ks_arg_is_float_input(arg))
            arg->init.nearer = nth++ == whose && n > 1 && turn % ENDS_TURNS == ENDS_ALONE ? ALONE_NEARER : nearer[turn % ENDS_TURNS];
    }
}

bool ks_arg_is_float_input(const struct ks_arg *arg)
{
    return arg->kind == KS_ARG_BUFFER && arg->role != KS_ROLE_OUT && ks_scalar_is_float(arg->elem.scalar);
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

void ks_vary_problem(struct ks_judge *judge, struct ks_problem *problem, enum ks_family family, int variation)
{
    // Factors that are rounded to few bits may be zero where they are denormal: no bound on rounding holds there.
    for (size_t i = 0; i < problem->n_args; i++)
        problem->args[i].init.normal = ks_judge_tolerance(judge).sum > 0;
    // What leaves double's range in one order or another is no measure of an order.
    for (size_t i = 0; i < problem->n_args; i++)
        problem->args[i].init.factors = judge->arith.products;
    const int literal = variation / KS_INTEGERS - KS_INTEGERS_NEAR(0);
    if (family == KS_FAMILY_ODD)
        make_odd(problem, variation);
    else if (literal >= 0 && literal < KS_NEAR_LITERALS + KS_NEAR_NEGATIVE)
        put_literal(judge, problem, literal);
    else
        vary_scalars(judge, problem, family, variation % KS_INTEGERS);
    if ((family == KS_FAMILY_GREAT || family == KS_FAMILY_SLIGHT) && ks_vary_flooded(variation) < 0)
        make_ends(judge, problem, family == KS_FAMILY_SLIGHT);
    if (family != KS_FAMILY_ODD && variation >= KS_INTEGERS)
        choose_integers(&judge->rng, problem, variation / KS_INTEGERS);
}

int ks_vary_flooded(int variation)
{
    const int integers = variation / KS_INTEGERS;
    return integers < KS_INTEGERS_FLOOD(0, 0) || integers >= KS_INTEGERS_TWINS(0) ? -1 : (integers - KS_INTEGERS_FLOOD(0, 0)) / KS_FLOODS;
}

// The k-th largest that is no factor or threshold of usual values; 0: there are no more.
static double large_literal(const struct ks_literals *l, size_t k)
{
    double most = (double)INFINITY;
    for (size_t nth = 0; nth <= k; nth++) {
        double below = 0;
        for (size_t i = 0; i < l->n_values; i++)
            if (l->values[i] < most && l->values[i] > below && l->values[i] >= LARGE && l->values[i] <= LARGEST)
                below = l->values[i];
        most = below;
    }
    return most;
}

// 0: there is none, or the array's range has it not.
static double literal_of(const struct ks_literals *l, const struct ks_arg *arg, int flood)
{
    const size_t k = (size_t)(flood - KS_FLOOD_LITERAL);
    const bool floats = ks_scalar_is_float(arg->elem.scalar);
    if (k >= KS_FLOOD_FIRST)
        return floats ? -large_literal(l, k - KS_FLOOD_FIRST) : 0;
    if (floats)
        return k < l->n_values ? l->values[k] : 0;
    const double whole = k < l->n_wholes ? (double)l->wholes[k] : 0;
    const struct range range = ks_arg_is_open(arg) ? (struct range){0, any_integer(arg, true).b} : range_of(arg);
    return whole >= range.low && whole <= range.high ? whole : 0;
}

bool ks_vary_literal(const struct ks_literals *literals, const struct ks_arg *arg, int flood)
{
    return literal_of(literals, arg, flood) != 0;
}

void ks_vary_flood(const struct ks_vector *vector, void *out)
{
    const struct ks_slot *slot = &vector->layout.slots[vector->flooded - 1];
    const struct ks_arg *arg = &vector->problem.args[slot->arg];
    const enum ks_scalar scalar = slot->elem.scalar;
    const size_t size = ks_scalar_size(scalar), lanes = (size_t)(slot->filled * slot->elem.lanes);
    const bool high = vector->flood == KS_FLOOD_HIGH;
    unsigned char value[8] = {0};
    if (vector->flood >= KS_FLOOD_LITERAL) {
        ks_scalar_put(scalar, value, literal_of(vector->literals, arg, vector->flood));
    } else if (ks_scalar_is_float(scalar)) {
        ks_scalar_put(scalar, value, vector->flood == KS_FLOOD_ZERO ? 0 : vector->flood == KS_FLOOD_NO_NUMBER ? (double)NAN
                                     : high ? (double)INFINITY : -(double)INFINITY);
    } else if (ks_arg_is_open(arg)) {
        memset(value, high ? 0xff : 0, size);
        if (ks_scalar_is_signed(scalar))
            value[size - 1] ^= 0x80;
    } else {
        const struct range range = range_of(arg);
        ks_scalar_put(scalar, value, high ? range.high : range.low);
    }
    // No number twice: of equal ones a variance is all rounding.
    const bool below = vector->flood >= KS_FLOOD_LITERAL + KS_FLOOD_FIRST;
    const double top = below ? ks_scalar_value(scalar, value, 0) : 0;
    for (size_t i = 0; i < lanes; i++) {
        if (below)
            ks_scalar_put(scalar, value, top * (1 + ldexp((double)(ks_hash_counter(vector->seed, i) >> 11), -53)));
        memcpy((unsigned char *)out + i * size, value, size);
    }
}

bool ks_vary_leaves_integers(int variation)
{
    return variation / KS_INTEGERS >= KS_INTEGERS_TWINS(0);
}

int ks_vary_twins(int variation)
{
    const int integers = variation / KS_INTEGERS;
    return integers < KS_INTEGERS_TWINS(0) || integers >= KS_INTEGERS_RUNS(0) ? -1 : integers - KS_INTEGERS_TWINS(0);
}

int64_t ks_vary_stripe(int variation)
{
    const int k = variation / KS_INTEGERS - KS_INTEGERS_STRIPES(0);
    return k < 0 || k >= KS_STRIPES ? 0 : INT64_C(32) << k;
}

// Integers are nearer their range's lower end by the same factor.
void ks_vary_stripes(const struct ks_vector *vector, size_t index, void *bytes)
{
    const struct ks_slot *slot = &vector->layout.slots[index];
    const struct ks_arg *arg = &vector->problem.args[slot->arg];
    const enum ks_scalar scalar = slot->elem.scalar;
    const size_t size = ks_scalar_size(scalar);
    const uint64_t whose = ks_vector_slot_seed(vector, index) % (uint64_t)vector->stripe;
    const bool ranged = ks_arg_has_range(arg);
    if (!ks_scalar_is_float(scalar) && !ranged)
        return;
    const double low = ranged ? ceil(range_of(arg).low) : 0;
    for (int64_t i = 0; i < slot->filled * slot->elem.lanes; i++) {
        if ((uint64_t)(i % vector->stripe) == whose)
            continue;
        const double value = ks_scalar_value(scalar, bytes, i);
        if (ranged) {
            const int64_t nearer = (int64_t)(low + floor((value - low) / STRIPE_PART));
            memcpy((unsigned char *)bytes + (size_t)i * size, &nearer, size); // little endian
        } else {
            ks_scalar_put(scalar, (unsigned char *)bytes + (size_t)i * size, value / STRIPE_PART);
        }
    }
}

int64_t ks_vary_run(int variation)
{
    const int k = variation / KS_INTEGERS - KS_INTEGERS_RUNS(0);
    return k < 0 || k >= KS_RUNS ? 0 : INT64_C(256) << 2 * k;
}

// Of files, ramps and permutations no element is exchanged.
static bool are_twins(const struct ks_arg *a, const struct ks_arg *b)
{
    const bool drawn = b->init.kind == KS_INIT_DEFAULT || b->init.kind == KS_INIT_UNIFORM || b->init.kind == KS_INIT_NORMAL ||
                       b->init.kind == KS_INIT_RANDINT;
    return a->kind == KS_ARG_BUFFER && b->kind == KS_ARG_BUFFER && a->role != KS_ROLE_OUT && b->role != KS_ROLE_OUT && drawn &&
           a->alias_of < 0 && b->alias_of < 0 && a->elem.scalar == b->elem.scalar && a->elem.lanes == b->elem.lanes &&
           a->count == b->count && a->init.kind == b->init.kind && memcmp(&a->init.a, &b->init.a, sizeof a->init.a) == 0 &&
           memcmp(&a->init.b, &b->init.b, sizeof a->init.b) == 0;
}

int64_t ks_vary_twin_stretch(const struct ks_problem *problem, int twins)
{
    int64_t count = 0, rows[KS_TWINS_ROWS] = {0};
    size_t n = 0;
    for (size_t i = 1; i < problem->n_args && count == 0; i++)
        for (size_t k = 0; k < i && count == 0; k++)
            count = are_twins(&problem->args[k], &problem->args[i]) ? problem->args[i].count : 0;
    for (size_t i = 0; i < problem->n_values && n < KS_TWINS_ROWS; i++) {
        const int64_t value = problem->values[i].value;
        bool known = value < 2 || value > count;
        for (size_t k = 0; k < n; k++)
            known = known || rows[k] == value;
        if (!known)
            rows[n++] = value;
    }
    return count == 0 ? 0 : twins < KS_TWINS_ROW ? INT64_C(16) << 3 * twins : rows[twins - KS_TWINS_ROW];
}

size_t ks_vary_twin_of(const struct ks_vector *vector, size_t slot)
{
    const struct ks_arg *args = vector->problem.args;
    for (size_t i = 0; vector->twins > 0 && i < slot; i++)
        if (are_twins(&args[vector->layout.slots[i].arg], &args[vector->layout.slots[slot].arg]))
            return i;
    return slot;
}

bool ks_vary_twin_differs(const struct ks_vector *vector, uint64_t seed, int64_t i)
{
    const int64_t stretch = vector->twin_stretch;
    const uint64_t chance = ks_hash_counter(seed, (uint64_t)(i / stretch));
    return vector->twins - 1 >= KS_TWINS_ROW ? chance % 2 == 0 && i % stretch == stretch - 1
                                             : i % stretch == (int64_t)(chance % (uint64_t)stretch);
}

// An array that shares another one's memory is no slot of its own: then nothing is flooded.
static void find_flood(struct ks_vector *vector, int variation)
{
    const int arg = ks_vary_flooded(variation);
    for (size_t i = 0; i < vector->layout.n_slots; i++)
        if ((int)vector->layout.slots[i].arg == arg) {
            vector->flooded = i + 1;
            vector->flood = (variation / KS_INTEGERS - KS_INTEGERS_FLOOD(0, 0)) % KS_FLOODS;
        }
}

int ks_vary_brink(int variation)
{
    const int integers = variation / KS_INTEGERS;
    return integers < KS_INTEGERS_BRINK(0) ? -1 : (integers - KS_INTEGERS_BRINK(0)) % (KS_INTEGERS_BRINK_OPEN(0) - KS_INTEGERS_BRINK(0));
}

static void find_brink(struct ks_vector *vector, int variation)
{
    for (size_t i = 0; i < vector->layout.n_slots; i++)
        if ((int)vector->layout.slots[i].arg == ks_vary_brink(variation))
            vector->brink = i + 1;
}

// Kinds of special values take turns, unless a vector is of one, in an input that also does.
void ks_vary_seed(struct ks_judge *judge, struct ks_vector *vector, int variation)
{
    const struct ks_layout *layout = &vector->layout;
    size_t inputs[KS_LAUNCH_SLOTS], n = 0;
    for (size_t i = 0; i < layout->n_slots; i++)
        if (layout->slots[i].role != KS_ROLE_OUT && ks_scalar_is_float(layout->slots[i].elem.scalar))
            inputs[n++] = i;
    find_flood(vector, variation);
    find_brink(vector, variation);
    vector->run = ks_vary_run(variation);
    vector->stripe = ks_vary_stripe(variation);
    vector->twins = ks_vary_twins(variation) + 1;
    vector->twin_stretch = vector->twins > 0 ? ks_vary_twin_stretch(&vector->problem, vector->twins - 1) : 0;
    if (vector->flooded != 0 && vector->family == KS_FAMILY_SPECIAL) {
        vector->alone = vector->flooded;
        vector->seed = ks_rng_next(&judge->rng);
        return;
    }
    const int given = variation / KS_INTEGERS - KS_INTEGERS_WHOSE(0);
    variation %= KS_INTEGERS;
    bool special = vector->family == KS_FAMILY_SPECIAL && n > 0;
    size_t kinds = vector->family == KS_FAMILY_LITERALS && n > 0 ? ks_literals_kinds(&judge->literals) : 0;
    bool paired = special && variation > 0 && variation <= KS_SPECIAL_PAIRS;
    uint64_t turn = special && !paired ? judge->specials++ : kinds > 0 ? judge->literal_turns++ : 0;
    size_t whose = (given >= 0 && given < KS_SPECIAL_INPUTS ? (size_t)given : turn / KS_FILL_PALETTES) % (n + !n); // input
    if (paired) {
        whose = n <= KS_SPECIAL_INPUTS ? (size_t)(variation - 1) / KS_SPECIAL_VALUES % n : ks_rng_below(&judge->rng, n);
        vector->alone = inputs[whose] + 1;
    }
    int palette = variation > KS_SPECIAL_SCALARS ? (variation - KS_SPECIAL_SCALARS) % KS_FILL_PALETTES : (int)(turn % KS_FILL_PALETTES);
    // A factor of zero is no reason to leave out the other one: that is the only special number then.
    bool beside = special && !paired && palette == KS_FILL_ZEROS && n > 1;
    int kind = turn % 2 == 0 ? (int)(turn / 2 % (kinds + !kinds)) // each of them, and between two others
               : turn % 4 == 1 ? KS_LITERALS_MIXED : KS_LITERALS_STEPS;
    do
        vector->seed = ks_rng_next(&judge->rng);
    while ((kinds > 0 && ks_literals_kind(&judge->literals, ks_vector_slot_seed(vector, inputs[turn / 2 / kinds % n])) != kind) ||
           (paired && ks_fill_palette(ks_vector_slot_seed(vector, inputs[whose])) >= KS_FILL_ZEROS) || // those may have none
           (special && !paired && ks_fill_palette(ks_vector_slot_seed(vector, inputs[whose])) != palette) ||
           (beside && ks_fill_palette(ks_vector_slot_seed(vector, inputs[(whose + 1) % n])) != KS_FILL_LONE));
}
