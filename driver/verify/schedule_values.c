// Which values are run on a problem; what they are is in verify/vary.h. Declared in verify/schedule_maker.h.
#include "verify/brink.h"
#include "verify/schedule_maker.h"
#include "verify/vary.h"

#define SCALAR_RUNS 32
#define DEEP_SCALAR_RUNS 8
#define TINY_SCALARS 3
#define RUN_VECTORS 2 // of each length
#define MOST_FLOODED 4
#define MOST_BRINKS 3
#define DRAWN_SCALARS 4 // a variation

static size_t float_inputs(const struct ks_problem *problem)
{
    size_t n = 0;
    for (size_t i = 0; i < problem->n_args; i++)
        n += ks_arg_is_float_input(&problem->args[i]);
    return n;
}

static bool has_floats(const struct ks_problem *problem)
{
    return float_inputs(problem) > 0;
}

// Arrays that literals can be planted in.
static bool has_room(const struct ks_problem *problem)
{
    for (size_t i = 0; i < problem->n_args; i++)
        if (ks_arg_has_range(&problem->args[i]))
            return true;
    return has_floats(problem);
}

static bool has_free_scalars(const struct ks_problem *problem)
{
    return ks_problem_scalars(problem).n > 0;
}

// Whether values of the family differ from declared ones there, and say more than others. Thirds and fifths that add up
// to nothing do so in one order and not in another, and what is divided by that is any number: powers of two are exact.
static bool has_use(const struct ks_maker *m, const struct ks_problem *problem, enum ks_family family)
{
    bool quotients = m->judge->arith.divides && m->judge->arith.kind == KS_ARITH_OTHER;
    switch (family) {
    case KS_FAMILY_DECLARED: return true;
    case KS_FAMILY_LITERALS: return has_room(problem);
    case KS_FAMILY_EXTREME: return !m->judge->arith.joins && has_floats(problem);
    case KS_FAMILY_GREAT: // where terms meet, the order of them decides at the edges of the range
    case KS_FAMILY_SLIGHT: return m->judge->arith.joins && has_floats(problem);
    case KS_FAMILY_TINY: return m->judge->arith.divides && (has_floats(problem) || has_free_scalars(problem));
    case KS_FAMILY_EXACT: return !quotients && has_floats(problem);
    case KS_FAMILY_POWERS: return quotients && has_floats(problem);
    case KS_FAMILY_ODD: return false; // ks_maker_odd
    default: return has_floats(problem);
    }
}

void ks_maker_task(struct ks_maker *m, const struct ks_problem *problem, enum ks_family family, enum ks_flush flush, int repeats)
{
    if (!has_use(m, problem, family) || (family != KS_FAMILY_DECLARED && !ks_judge_defends(m->judge, KS_D_FAMILIES)))
        return;
    bool scalars = has_free_scalars(problem) && family != KS_FAMILY_SPECIAL;
    int variation = scalars ? m->turn % 6 : family == KS_FAMILY_LITERALS ? m->turn % 2 : 0; // two of a size: of others
    if (scalars && family == KS_FAMILY_LITERALS && m->turn % 2 == 0)
        variation = 0; // multiples of what they are declared as (verify/literals.h)
    m->turn++;
    bool first = m->tasks.len == 0 || m->tasks.at[m->tasks.len - 1].problem != problem;
    *ks_vec_push(m->arena, &m->tasks) = (struct ks_task){
        problem, family, first && !problem->derived ? 0 : variation, flush, KS_SKEW_NONE, repeats, first, m->worth};
}

// The same with values of free scalars, or of inputs, that the variation says.
static void add_varied(struct ks_maker *m, const struct ks_problem *problem, enum ks_family family, enum ks_flush flush,
                       int variation)
{
    const size_t before = m->tasks.len;
    ks_maker_task(m, problem, family, flush, 0);
    if (m->tasks.len > before)
        m->tasks.at[before].variation = variation;
}

void ks_maker_literal_scalars(struct ks_maker *m, const struct ks_problem *problem, bool deep)
{
    const size_t n = (deep ? 1 : 8) * m->judge->literals.n_values, most = deep ? DEEP_SCALAR_RUNS : SCALAR_RUNS;
    for (size_t i = 0; has_free_scalars(problem) && i < n && i < most; i++)
        add_varied(m, problem, KS_FAMILY_LITERALS, KS_FLUSH_END, 1 + (int)i); // whose turn it is
}

// Special values beside free scalars that are 0, 1 or -1, or special themselves. Infinite ones where no terms meet: else it is
// their order that decides what comes of those.
static void add_special_scalars(struct ks_maker *m, const struct ks_problem *problem)
{
    const int most = m->judge->arith.joins ? KS_SPECIAL_PAIRS + 2 : KS_SPECIAL_SCALARS;
    const size_t inputs = float_inputs(problem);
    for (int v = 1; has_free_scalars(problem) && v <= most; v++) {
        const bool of_no_input = v <= KS_SPECIAL_PAIRS && v > KS_SPECIAL_VALUES && (size_t)(v - 1) / KS_SPECIAL_VALUES >= inputs;
        if (!of_no_input)
            add_varied(m, problem, KS_FAMILY_SPECIAL, KS_FLUSH_END, v);
    }
}

static void add_literal_specials(struct ks_maker *m, const struct ks_problem *problem)
{
    const bool asked = has_free_scalars(problem) && float_inputs(problem) > 0;
    const int mixed = KS_SPECIAL_SCALARS + KS_FILL_PALETTES;
    for (size_t i = 0; asked && i < KS_NEAR_LITERALS + KS_NEAR_NEGATIVE; i++) {
        if (i % KS_NEAR_LITERALS >= m->judge->literals.n_values)
            continue;
        add_varied(m, problem, KS_FAMILY_SPECIAL, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_NEAR(i) + mixed);
        if (i < KS_NEAR_NEGATIVE) // where a NaN hides the rest
            add_varied(m, problem, KS_FAMILY_SPECIAL, KS_FLUSH_START, KS_INTEGERS * KS_INTEGERS_NEAR(i));
    }
}

// Divisors that are so small, beside numbers that are not.
static void add_tiny_scalars(struct ks_maker *m, const struct ks_problem *problem)
{
    for (int which = 0; has_free_scalars(problem) && which < TINY_SCALARS; which++)
        add_varied(m, problem, KS_FAMILY_TINY, KS_FLUSH_END, which);
}

// Inputs of so few numbers that what is computed of them is what it is compared with.
static void add_lattices(struct ks_maker *m, const struct ks_problem *problem)
{
    const struct ks_scalars scalars = ks_problem_scalars(problem);
    for (unsigned i = 0; has_floats(problem) && i < KS_LITERALS_LATTICES; i++)
        if (ks_literals_base(&m->judge->literals, &scalars, i, KS_T_F32) != 0)
            add_varied(m, problem, KS_FAMILY_LITERALS, KS_FLUSH_END, KS_LATTICE + (int)i);
}

void ks_maker_beside_scalars(struct ks_maker *m, const struct ks_problem *problem, bool small)
{
    add_special_scalars(m, problem);
    add_literal_specials(m, problem);
    add_tiny_scalars(m, problem);
    if (small)
        add_lattices(m, problem);
}

void ks_maker_specials(struct ks_maker *m, const struct ks_problem *problem)
{
    for (int i = 1; i < KS_FILL_PALETTES; i++)
        add_varied(m, problem, KS_FAMILY_SPECIAL, i % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, KS_SPECIAL_SCALARS + i);
    // Of factors each is in turn the one that is zero.
    const size_t inputs = float_inputs(problem);
    for (size_t i = 0; inputs > 1 && i < inputs && i < KS_SPECIAL_INPUTS; i++)
        add_varied(m, problem, KS_FAMILY_SPECIAL, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_WHOSE(i) + KS_SPECIAL_SCALARS + KS_FILL_ZEROS);
}

// As what an array comes when it is flooded so; false: it is not.
static bool flood_family(const struct ks_maker *m, const struct ks_arg *arg, int flood, enum ks_family *family)
{
    const bool floats = ks_arg_is_float_input(arg);
    *family = flood >= KS_FLOOD_LITERAL ? KS_FAMILY_LITERALS : !floats ? KS_FAMILY_DECLARED
            : flood == KS_FLOOD_ZERO    ? KS_FAMILY_SLIGHT   : KS_FAMILY_SPECIAL;
    return flood >= KS_FLOOD_LITERAL ? ks_vary_literal(&m->judge->literals, arg, flood) : floats || flood <= KS_FLOOD_LOW;
}

void ks_maker_floods(struct ks_maker *m, const struct ks_problem *problem)
{
    size_t flooded = 0;
    for (size_t i = 0; ks_judge_defends(m->judge, KS_D_FAMILIES) && i < problem->n_args && flooded < MOST_FLOODED; i++) {
        const struct ks_arg *arg = &problem->args[i];
        enum ks_family family;
        if ((!ks_arg_is_float_input(arg) && !ks_arg_has_range(arg)) || arg->alias_of >= 0)
            continue;
        flooded++;
        for (int flood = 0; flood < KS_FLOODS; flood++)
            if (flood_family(m, arg, flood, &family))
                add_varied(m, problem, family, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_FLOOD(i, flood));
    }
}

void ks_maker_twins(struct ks_maker *m, const struct ks_problem *problem, bool small)
{
    for (int twins = 0; ks_judge_defends(m->judge, KS_D_FAMILIES) && twins < KS_TWINS_COUNT; twins++)
        if ((small || twins == KS_TWINS_128 || twins == KS_TWINS_ROW) && ks_vary_twin_stretch(problem, twins) > 0)
            add_varied(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_TWINS(twins));
}

void ks_maker_runs(struct ks_maker *m, const struct ks_problem *problem)
{
    bool ranged = false;
    for (size_t i = 0; ks_judge_defends(m->judge, KS_D_FAMILIES) && i < problem->n_args; i++)
        ranged = ranged || ks_arg_has_range(&problem->args[i]);
    for (int k = 0; ranged && k < RUN_VECTORS * KS_RUNS; k++)
        add_varied(m, problem, KS_FAMILY_LITERALS, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_RUNS(k % KS_RUNS));
}

void ks_maker_stripes(struct ks_maker *m, const struct ks_problem *problem)
{
    for (int k = 0; ks_judge_defends(m->judge, KS_D_FAMILIES) && has_room(problem) && k < KS_STRIPES; k++)
        add_varied(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_STRIPES(k));
}

static bool has_open_beside(const struct ks_problem *problem, size_t arg)
{
    bool open = false;
    for (size_t i = 0; i < problem->n_args; i++)
        open = open || (i != arg && ks_arg_is_open(&problem->args[i]));
    return open;
}

bool ks_maker_brinks(struct ks_maker *m, const struct ks_problem *problem, bool make)
{
    size_t n[2] = {0}; // integers, floats
    for (size_t i = 0; ks_judge_defends(m->judge, KS_D_FAMILIES) && i < problem->n_args; i++) {
        size_t *of = &n[ks_arg_is_float_input(&problem->args[i])];
        if (*of >= MOST_BRINKS || !ks_brink_has(m->judge, problem, i))
            continue;
        ++*of;
        for (int scalars = 0; make && scalars <= (has_free_scalars(problem) ? DRAWN_SCALARS : 0); scalars += DRAWN_SCALARS)
            add_varied(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_BRINK(i) + scalars);
        if (make && has_open_beside(problem, i))
            add_varied(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, KS_INTEGERS * KS_INTEGERS_BRINK_OPEN(i));
    }
    return n[0] + n[1] > 0;
}

void ks_maker_odd(struct ks_maker *m, const struct ks_problem *problem, enum ks_worth worth)
{
    const struct ks_layout layout = ks_layout_of(m->arena, problem);
    for (size_t i = 0; m->judge->odd && i < layout.n_slots; i++) {
        const struct ks_slot *slot = &layout.slots[i];
        bool first = m->tasks.len == 0 || m->tasks.at[m->tasks.len - 1].problem != problem;
        if (slot->role != KS_ROLE_OUT && slot->elem.scalar == KS_T_F32)
            *ks_vec_push(m->arena, &m->tasks) = (struct ks_task){
                problem, KS_FAMILY_ODD, KS_ODD(slot->arg, 0), KS_FLUSH_END, KS_SKEW_NONE, 0, first, worth};
    }
}
