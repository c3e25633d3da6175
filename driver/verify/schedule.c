#include "verify/schedule_maker.h"

#include <math.h>
#include <string.h>

#include "verify/vary.h"

#define SMALL_BYTES (4 << 20) // beside what all sizes have
#define QUICK_SHAPES 6
#define MIDDLE_SHAPES 3
#define MIDDLE_BYTES (64 << 20) // the confirmation draws bigger ones
#define QUICK_BYTES (8 << 20)
#define LITERAL_RUNS 48
#define LEAST_RESIDUES 8 // sixteen bytes of halves
#define MOST_RESIDUES 32
#define MOST_LONE 8 // buffers that are shifted alone on one size

bool ks_guard_admits(const struct ks_judge *judge, struct ks_arena *arena,
                     const struct ks_proposal *proposal, const struct ks_problem *problem)
{
    struct ks_layout layout = ks_layout_of(arena, problem);
    struct ks_scope scope = ks_judge_scope(judge, problem, &layout, proposal);
    struct ks_placement placement;
    return ks_placement_choose(&scope, KS_FLUSH_END, &placement);
}

static void add_skew(struct ks_maker *m, const struct ks_problem *problem, int skew)
{
    if (!ks_judge_defends(m->judge, KS_D_PLACEMENT))
        skew = KS_SKEW_NONE;
    ks_maker_task(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, 0);
    m->tasks.at[m->tasks.len - 1].skew = skew;
}

// Sizes that the guard admits are often multiples of what it should have asked of the addresses. Every other
// time one buffer alone is shifted, the buffers taking turns.
static void add_skewed(struct ks_maker *m, const struct ks_problem *problem)
{
    size_t n_slots = ks_layout_of(m->arena, problem).n_slots, turn = m->skews++;
    add_skew(m, problem, turn % 2 == 0 || n_slots < 2
                             ? KS_SKEW_ALL
                             : KS_SKEW_ONE + (int)((turn / 2 + m->judge->shape_seed) % n_slots));
}

// Each buffer alone, on a size that has room for whole vectors; one of them where a run is slow. Of scalars other
// runs take care.
static void add_lone(struct ks_maker *m, const struct ks_problem *problem)
{
    size_t n_slots = ks_layout_of(m->arena, problem).n_slots;
    size_t most = ks_problem_bytes(problem) <= m->small_bytes ? MOST_LONE : 1;
    for (size_t i = 0; n_slots > 1 && i < n_slots && i < most; i++) {
        add_skew(m, problem, KS_SKEW_ONE + (int)((i + m->judge->shape_seed) % n_slots));
        m->tasks.at[m->tasks.len - 1].variation = 0;
        m->turn--;
    }
}

// Histograms and scatters: every element in one place. Sums: as many as fit the narrowest type least.
static void add_alike(struct ks_maker *m, const struct ks_problem *problem, enum ks_integers integers)
{
    bool ranges = false;
    for (size_t i = 0; i < problem->n_args; i++)
        ranges = ranges || ks_arg_has_range(&problem->args[i]);
    if (!ranges || !ks_judge_defends(m->judge, KS_D_FAMILIES))
        return;
    ks_maker_task(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, 0);
    m->tasks.at[m->tasks.len - 1].variation += KS_INTEGERS * (int)integers;
}

// Integers of which nothing is declared: any, all such arrays and each alone, since one may be what the original finds its
// way by; then about the ends of their type, for what is summed; and as indices of arrays.
static void add_open(struct ks_maker *m, const struct ks_problem *problem)
{
    size_t open = 0;
    for (size_t i = 0; i < problem->n_args; i++)
        open += ks_arg_is_open(&problem->args[i]);
    if (open == 0 || !ks_judge_defends(m->judge, KS_D_FAMILIES))
        return;
    for (size_t i = 0; i <= problem->n_args; i++) {
        int integers = i == 0 ? KS_INTEGERS_OPEN : KS_INTEGERS_OPEN_ONE(i - 1);
        if (i > 0 && (open == 1 || !ks_arg_is_open(&problem->args[i - 1])))
            continue;
        for (int k = 0; k < 4; k++) {
            ks_maker_task(m, problem, k < 2 ? KS_FAMILY_DECLARED : KS_FAMILY_LITERALS,
                     k % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, 0);
            m->tasks.at[m->tasks.len - 1].variation = KS_INTEGERS * integers;
        }
    }
    for (int k = KS_INTEGERS_EQUAL; k < KS_INTEGERS_COUNT; k++) {
        ks_maker_task(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, 0);
        m->tasks.at[m->tasks.len - 1].variation = KS_INTEGERS * KS_INTEGERS_OPEN_ALIKE(k);
    }
    for (int k = 0; k < KS_INTEGERS_INDICES; k++) {
        ks_maker_task(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, 0);
        m->tasks.at[m->tasks.len - 1].variation = KS_INTEGERS * KS_INTEGERS_INDEX(k);
    }
}

static int64_t room(const struct ks_judge *judge)
{
    int64_t free_bytes = judge->device.memory_free / 4; // two processes, pristine copies
    return free_bytes > 0 ? free_bytes : INT64_MAX;
}

static void add_small(struct ks_maker *m, const struct ks_problem *problem, bool deep, size_t turn)
{
    ks_maker_task(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, deep ? KS_REPEATS : 0);
    m->worth = deep ? m->worth : KS_WORTH_MORE;
    ks_maker_task(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_START, 0);
    if (deep || turn % 3 == 0)
        add_skewed(m, problem);
    for (int k = KS_INTEGERS_EQUAL; deep && k < KS_INTEGERS_COUNT; k++)
        add_alike(m, problem, (enum ks_integers)k);
    if (deep)
        add_open(m, problem);
    if (!deep && turn % 3 == 1)
        add_alike(m, problem, turn % 2 == 0 ? KS_INTEGERS_EQUAL
                                            : (enum ks_integers)(KS_INTEGERS_HIGH + (int)(turn / 6 % 4)));
    for (int f = KS_FAMILY_DECLARED + 1; f < KS_FAMILY_COUNT; f++) {
        // Families take turns on ordinary small sizes: two each.
        if (!deep && (size_t)(f - 1) % 3 != turn % 3)
            continue;
        ks_maker_task(m, problem, (enum ks_family)f,
                 (turn + (size_t)f) % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, 0);
        if (deep && f < KS_FAMILY_EXTREME) // values alone matter of those
            ks_maker_task(m, problem, (enum ks_family)f,
                     (turn + (size_t)f) % 2 == 0 ? KS_FLUSH_START : KS_FLUSH_END, 0);
    }
}

static void add_large_declared(struct ks_maker *m, const struct ks_problem *problem)
{
    ks_maker_task(m, problem, KS_FAMILY_DECLARED, KS_FLUSH_END, KS_REPEATS);
    ks_maker_task(m, problem, KS_FAMILY_POSITION, KS_FLUSH_START, 0);
    add_alike(m, problem, KS_INTEGERS_HIGH);
    if (m->judge->arith.kind != KS_ARITH_MULADD)
        return;
    ks_maker_task(m, problem, KS_FAMILY_EXACT, KS_FLUSH_END, 0);
    // Roundings of many terms alike in size cancel; of few great ones tol(sum=F) lets only its own pass.
    if (ks_judge_tolerance(m->judge).sum > 0)
        ks_maker_task(m, problem, KS_FAMILY_WIDE, KS_FLUSH_END, 0);
}

// Sizes of every residue modulo the proposal's vector widths, unrolled steps and rows: its numbers up to 32. Under
// a guard that asks for multiples, multiples.
static void add_residues(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal,
                         const int64_t *constants, size_t n_constants)
{
    int64_t count = LEAST_RESIDUES, around = 32, step = ks_judge_modulus(m->judge, proposal);
    struct ks_shape *shapes;
    for (size_t i = 0; i < n_constants; i++) {
        while (constants[i] <= MOST_RESIDUES && count < constants[i])
            count *= 2;
        if (constants[i] <= 256 && constants[i] > around)
            around = constants[i];
    }
    size_t n = ks_problem_residues(m->arena, m->judge->kernel->mark->mark, workload, step, count, around,
                                   m->judge->shape_seed + workload, &shapes);
    for (size_t i = 0; i < n; i++) {
        struct ks_problem *p = ks_maker_problem(m, workload, shapes[i].overrides, shapes[i].n, m->small_bytes);
        if (p == NULL || !ks_guard_admits(m->judge, m->arena, proposal, p))
            continue;
        if (i % 4 == 3)
            add_skewed(m, p);
        else
            ks_maker_task(m, p, KS_FAMILY_DECLARED, i % 4 == 1 ? KS_FLUSH_START : KS_FLUSH_END, 0);
    }
}

// Each size in turn 1, as a stride is where elements lie side by side, or the least that the guard may ask for; the others whole
// packs of sixteen bytes or more, a few or as many as declared (where a run is slow that is few, too). Who reads packs under tests
// of sizes alone has them aligned by luck there, unless all buffers are shifted.
static void add_packs(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes)
{
    struct ks_maker apart = {.judge = m->judge, .arena = m->arena}; // the same sizes may be run as they are
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    int64_t modulus = ks_judge_modulus(m->judge, proposal), pack = 16;
    while (pack % modulus != 0)
        pack += 16;
    for (size_t which = 0; n > 1 && which < n; which++)
        for (int k = 0; k < 4; k += ks_judge_times(m->judge) ? 1 : 2) {
            struct ks_value *packs = ks_arena_memdup(m->arena, sizes, n * sizeof *packs);
            for (size_t i = 0; i < n; i++) {
                int64_t most = k % 2 == 0 && sizes[i].value > 3 * pack ? 3 * pack : sizes[i].value;
                packs[i].value = i == which ? (k < 2 ? 1 : modulus) : most >= pack ? most / pack * pack : most;
            }
            struct ks_problem *p = k < 2 || modulus > 1 ? ks_maker_problem(&apart, workload, packs, n, max_bytes) : NULL;
            if (p == NULL || !ks_guard_admits(m->judge, m->arena, proposal, p))
                continue;
            add_skew(m, p, KS_SKEW_ALL);
            m->tasks.at[m->tasks.len - 1].variation = 0; // of scalars other runs take care
        }
}

// Sizes beside the numbers that the machine text of original and candidate compares with: all sizes at once, and
// each alone with small ones. (`1700 + 77` is no number of the source.)
static void add_literals(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal)
{
    const struct ks_literals *l = &m->judge->literals;
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    size_t end = m->tasks.len + LITERAL_RUNS;
    for (size_t i = 0; i < l->n_wholes; i++)
        for (size_t which = n > 1 ? 0 : n; n > 0 && which <= n; which++)
            for (int64_t delta = 0; delta <= 2 && m->tasks.len < end; delta++) {
                int64_t value = l->wholes[i] + (delta == 2 ? -1 : delta);
                struct ks_value *overrides = ks_arena_memdup(m->arena, sizes, n * sizeof *sizes);
                bool fits = value >= 1;
                for (size_t k = 0; k < n; k++) {
                    int64_t small = 35 + 2 * (int64_t)k;
                    overrides[k].value = which == n || which == k || sizes[k].value < small ? value : small;
                    fits = fits && ((which != n && which != k) || value <= sizes[k].value);
                    if (overrides[k].value > sizes[k].value)
                        overrides[k].value = sizes[k].value;
                }
                struct ks_problem *p = fits ? ks_maker_problem(m, workload, overrides, n, m->small_bytes) : NULL;
                if (p == NULL || !ks_guard_admits(m->judge, m->arena, proposal, p))
                    continue;
                ks_maker_task(m, p, KS_FAMILY_DECLARED, delta == 1 ? KS_FLUSH_START : KS_FLUSH_END, 0);
                m->tasks.at[m->tasks.len - 1].variation = 0; // of scalars other runs take care
            }
}

// The same where what is made of several sizes, or counted in blocks, meets such a number.
static void add_reached(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal)
{
    const struct ks_literals *l = &m->judge->literals;
    size_t end = m->tasks.len + LITERAL_RUNS;
    for (size_t i = 0; i < l->n_wholes; i++)
        for (int64_t delta = -1; delta <= 1 && m->tasks.len < end; delta++) {
            size_t made = m->problems.len;
            ks_maker_reached(m, workload, proposal, l->wholes[i] + delta, m->small_bytes);
            for (; made < m->problems.len && m->tasks.len < end; made++)
                if (ks_guard_admits(m->judge, m->arena, proposal, m->problems.at[made])) {
                    ks_maker_task(m, m->problems.at[made], KS_FAMILY_DECLARED, made % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, 0);
                    m->tasks.at[m->tasks.len - 1].variation = 0; // as above
                }
        }
}

// Arrays whose extent is no size of the problem's, tables for instance, are as large in its smallest: it is small all the same.
static int64_t small_bytes(struct ks_maker *m, size_t workload)
{
    struct ks_value *least;
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &least);
    for (size_t i = 0; i < n; i++)
        least[i].value = 1;
    struct ks_maker apart = {.judge = m->judge, .arena = m->arena};
    const struct ks_problem *p = n > 0 ? ks_maker_problem(&apart, workload, least, n, MIDDLE_BYTES) : NULL;
    return SMALL_BYTES + (p != NULL ? ks_problem_bytes(p) : 0);
}

static void finish(struct ks_maker *m, struct ks_schedule *schedule)
{
    *schedule = (struct ks_schedule){.tasks = m->tasks.at, .n_tasks = m->tasks.len};
}

enum ks_status ks_schedule_full(struct ks_judge *judge, struct ks_arena *arena, size_t workload,
                                const struct ks_proposal *proposal, struct ks_schedule *schedule,
                                struct ks_err *err)
{
    (void)err;
    struct ks_maker m = {.judge = judge, .arena = arena};
    m.small_bytes = small_bytes(&m, workload);
    const struct ks_problem *declared = &judge->problems[workload];
    int64_t constants[KS_MAX_CONSTANTS];
    size_t n_constants = ks_harvest_constants(proposal, constants, KS_MAX_CONSTANTS);
    int64_t modulus = ks_judge_modulus(judge, proposal);
    struct ks_shape *shapes = NULL;
    size_t max = judge->options.max_shapes > 0 ? judge->options.max_shapes : 24;
    size_t n = ks_problem_shapes(arena, judge->kernel->mark->mark, workload, constants, n_constants,
                                 judge->shape_seed + workload, max, &shapes);
    // Where a run is slow, sizes stay near the one that was chosen for it.
    int64_t limit = 2 * ks_problem_bytes(declared) + (ks_judge_times(judge) ? 1 << 20 : 1 << 16);
    if (limit > room(judge))
        limit = room(judge);
    for (size_t i = 0; ks_judge_defends(judge, KS_D_SHAPES) && i < n; i++) {
        if (shapes[i].n == 0)
            continue;
        ks_maker_problem(&m, workload, shapes[i].overrides, shapes[i].n, limit);
        ks_maker_rounded(&m, workload, &shapes[i], modulus, limit);
    }
    struct ks_problem *middle[MIDDLE_SHAPES];
    size_t n_edges = m.problems.len, thin = n_edges, n_thin = 0; // from `thin` on one look at each has to do
    if (ks_judge_defends(judge, KS_D_SHAPES)) {
        struct ks_rng rng;
        ks_rng_seed(&rng, judge->shape_seed + workload);
        ks_maker_corners(&m, workload, proposal, limit);
        thin = m.problems.len;
        ks_maker_related(&m, workload, proposal, limit);
        ks_maker_changes(&m, workload, proposal, limit < m.small_bytes ? limit : m.small_bytes);
        ks_maker_tied(&m, workload, proposal, limit < m.small_bytes ? limit : m.small_bytes);
        if (judge->divides_roundly)
            ks_maker_every(&m, workload, limit < m.small_bytes ? limit : m.small_bytes);
        if (ks_maker_alone(&m, workload, proposal, limit))
            thin = n_edges; // so many are the corners then
        n_thin = m.problems.len;
        ks_maker_middle(&m, workload, proposal, &rng, MIDDLE_SHAPES,
                   limit < MIDDLE_BYTES ? limit : MIDDLE_BYTES, middle);
        // Edges are of few elements: where values are all that differs, one that has many of them.
        ks_maker_middle(&m, workload, proposal, &rng, 1, limit < m.small_bytes ? limit : m.small_bytes, middle);
    }
    // What the guard excludes goes to the original: only the rest is worth a run.
    struct ks_problem *deep = NULL, *large = NULL;
    const struct ks_problem *turning = ks_maker_brinks(&m, declared, false) ? declared : NULL;
    size_t small = 0;
    double deepest = fmax(ks_schedule_work(judge, workload, declared), ks_schedule_room(judge, workload) / 32);
    m.worth = KS_WORTH_EDGE;
    for (size_t i = 0; i < m.problems.len; i++) {
        struct ks_problem *p = m.problems.at[i];
        if (ks_same_sizes(p, declared) || !ks_guard_admits(judge, arena, proposal, p))
            continue;
        if (ks_problem_bytes(p) <= m.small_bytes) {
            if (small == 0)
                ks_maker_literal_scalars(&m, p, false);
            if ((deep == NULL || ks_problem_bytes(p) > ks_problem_bytes(deep)) &&
                ks_schedule_work(judge, workload, p) <= deepest)
                deep = p;
            if ((turning == NULL || ks_problem_bytes(p) > ks_problem_bytes(turning)) && ks_maker_brinks(&m, p, false))
                turning = p;
            small++;
        } else if (i < n_edges) {
            large = p; // the last: declared sizes plus one
        }
    }
    if (deep != NULL) // which has so many elements that what a scalar changes shows
        ks_maker_literal_scalars(&m, deep, true);
    if (deep != NULL)
        ks_maker_odd(&m, deep, KS_WORTH_EDGE); // first: who is refused for TF32 needs no other look
    for (size_t i = 0, turn = 0; i < m.problems.len; i++) {
        struct ks_problem *p = m.problems.at[i];
        if (ks_same_sizes(p, declared) || !ks_guard_admits(judge, arena, proposal, p))
            continue;
        m.worth = KS_WORTH_EDGE;
        if (i >= thin && i < n_thin)
            ks_maker_task(&m, p, KS_FAMILY_DECLARED, i % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, 0);
        else if (ks_problem_bytes(p) <= m.small_bytes)
            add_small(&m, p, p == deep, turn++);
        else if (p == large || i >= n_edges)
            ks_maker_task(&m, p, KS_FAMILY_DECLARED, KS_FLUSH_END, 0);
    }
    m.worth = KS_WORTH_SIZE;
    if (ks_judge_defends(judge, KS_D_SHAPES))
        add_residues(&m, workload, proposal, constants, n_constants);
    if (ks_judge_defends(judge, KS_D_SHAPES))
        add_packs(&m, workload, proposal, limit);
    if (ks_judge_defends(judge, KS_D_SHAPES))
        add_literals(&m, workload, proposal);
    if (ks_judge_defends(judge, KS_D_SHAPES))
        add_reached(&m, workload, proposal);
    m.worth = KS_WORTH_EDGE;
    if (deep != NULL)
        add_lone(&m, deep);
    ks_maker_beside_scalars(&m, deep != NULL ? deep : declared, deep != NULL || ks_problem_bytes(declared) <= m.small_bytes);
    m.worth = KS_WORTH_ALWAYS;
    if (ks_problem_bytes(declared) <= m.small_bytes)
        add_small(&m, declared, true, small);
    else
        add_large_declared(&m, declared);
    if (deep == NULL && ks_problem_bytes(declared) > m.small_bytes) // else a small size has them
        add_open(&m, declared);
    const struct ks_problem *rich = ks_problem_bytes(declared) <= m.small_bytes ? declared : deep;
    m.worth = rich == declared ? KS_WORTH_ALWAYS : KS_WORTH_EDGE;
    if (rich != NULL) {
        ks_maker_specials(&m, rich);
        ks_maker_floods(&m, rich);
        ks_maker_twins(&m, rich, true);
        ks_maker_runs(&m, rich);
        ks_maker_stripes(&m, rich);
    } else if (ks_problem_bytes(declared) <= MIDDLE_BYTES) {
        ks_maker_floods(&m, declared);
    }
    m.worth = KS_WORTH_ALWAYS;
    if (rich != declared && ks_problem_bytes(declared) <= MIDDLE_BYTES)
        ks_maker_twins(&m, declared, false);
    if (deep == NULL)
        add_lone(&m, declared);
    if (turning != NULL)
        ks_maker_brinks(&m, turning, true);
    ks_maker_odd(&m, declared, KS_WORTH_ALWAYS);
    ks_schedule_fit(&m, workload);
    finish(&m, schedule);
    return KS_OK;
}

// Of less than those sizes: half of the first, a batch mostly, while that is above 2, then of the largest, of two as large the
// later one. False: there is no less.
static bool halve(struct ks_value *sizes, size_t n)
{
    size_t most = 0;
    for (size_t i = 1; i < n && sizes[0].value <= 2; i++)
        if (sizes[i].value >= sizes[most].value)
            most = i;
    sizes[most].value /= 2;
    return sizes[most].value > 0;
}

// The s-th shape that looks are taken at. Too large, it is nothing; with `smaller` it becomes one that fits.
static void add_quick(struct ks_maker *m, size_t workload, const struct ks_value *names, size_t n, size_t s, bool smaller)
{
    // Sizes of a few dozen to a few hundred, different from each other, so that exchanged
    // dimensions show; multiples of 64 as well, because many templates need them.
    static const int64_t sizes[QUICK_SHAPES][4] = {
        {64, 128, 192, 64}, {33, 70, 45, 17}, {256, 64, 128, 192},
        {1024, 128, 64, 256}, {7, 5, 3, 2}, {100, 260, 36, 68}};
    struct ks_value *overrides = KS_NEW_ARRAY(m->arena, struct ks_value, n);
    for (size_t i = 0; i < n; i++) {
        int64_t value = sizes[s][i % 4];
        overrides[i] = (struct ks_value){names[i].name, value < names[i].value ? value : names[i].value};
    }
    const struct ks_shape shape = {overrides, n};
    struct ks_problem *p = ks_maker_problem(m, workload, overrides, n, QUICK_BYTES);
    // Too large: less of the first size, so that one shape of multiples of 64 is run.
    while (s == 0 && p == NULL && overrides[0].value > 2) {
        halve(overrides, n);
        p = ks_maker_problem(m, workload, overrides, n, QUICK_BYTES / 8);
    }
    while (smaller && p == NULL && halve(overrides, n))
        p = ks_maker_problem(m, workload, overrides, n, QUICK_BYTES);
    if (p != NULL && !ks_guard_admits(m->judge, m->arena, NULL, p)) // what the mark assumes
        p = ks_maker_rounded(m, workload, &shape, ks_judge_modulus(m->judge, NULL), QUICK_BYTES);
    if (p != NULL && ks_guard_admits(m->judge, m->arena, NULL, p)) {
        ks_maker_task(m, p, KS_FAMILY_DECLARED, s % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, 0);
        ks_maker_task(m, p, KS_FAMILY_POSITION, KS_FLUSH_END, 0);
    }
}

enum ks_status ks_schedule_quick(struct ks_judge *judge, struct ks_arena *arena, size_t workload, bool tiny,
                                 struct ks_schedule *schedule, struct ks_err *err)
{
    (void)err;
    struct ks_maker m = {.judge = judge, .arena = arena};
    const struct ks_problem *declared = &judge->problems[workload];
    struct ks_value *names = NULL;
    size_t n = ks_problem_sizes(arena, judge->kernel->mark->mark, workload, &names);
    for (size_t s = 0; tiny && s < QUICK_SHAPES && n > 0; s++)
        add_quick(&m, workload, names, n, s, false);
    // Of five sizes and more none may fit: a look at the declared ones would take longer than many others.
    const bool none = m.tasks.len == 0;
    for (size_t s = 0; tiny && s < 2 && n > 0 && none; s++)
        add_quick(&m, workload, names, n, s, true);
    if (m.tasks.len == 0) {
        ks_maker_task(&m, declared, KS_FAMILY_DECLARED, KS_FLUSH_END, 0);
        ks_maker_task(&m, declared, KS_FAMILY_POSITION, KS_FLUSH_END, 0);
    }
    finish(&m, schedule);
    return KS_OK;
}

enum ks_status ks_schedule_guarded(struct ks_judge *judge, struct ks_arena *arena, size_t workload,
                                   const struct ks_proposal *proposal, struct ks_schedule *schedule, struct ks_err *err)
{
    (void)err;
    static const int64_t sides[] = {64, 32, 16};
    struct ks_maker m = {.judge = judge, .arena = arena};
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(arena, judge->kernel->mark->mark, workload, &sizes);
    int64_t modulus = ks_judge_modulus(judge, proposal);
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        struct ks_value *alike = ks_arena_memdup(arena, sizes, n * sizeof *alike);
        for (size_t i = 0; i < n; i++) {
            int64_t value = (sides[s] + modulus - 1) / modulus * modulus;
            alike[i].value = value < sizes[i].value ? value : sizes[i].value;
        }
        ks_maker_problem(&m, workload, alike, n, QUICK_BYTES);
    }
    ks_maker_tied(&m, workload, proposal, QUICK_BYTES);
    for (size_t i = 0; i < m.problems.len && m.tasks.len == 0; i++)
        if (ks_guard_admits(judge, arena, proposal, m.problems.at[i])) {
            ks_maker_task(&m, m.problems.at[i], KS_FAMILY_DECLARED, KS_FLUSH_END, 0);
            ks_maker_task(&m, m.problems.at[i], KS_FAMILY_POSITION, KS_FLUSH_START, 0);
        }
    finish(&m, schedule);
    return KS_OK;
}

enum ks_status ks_schedule_confirm(struct ks_judge *judge, struct ks_arena *arena, size_t workload,
                                   const struct ks_proposal *proposal, size_t unseen,
                                   struct ks_schedule *schedule, struct ks_err *err)
{
    (void)err;
    struct ks_maker m = {.judge = judge, .arena = arena};
    const struct ks_problem *declared = &judge->problems[workload];
    struct ks_problem **drawn = KS_NEW_ARRAY(arena, struct ks_problem *, unseen);
    size_t found = ks_maker_middle(&m, workload, proposal, &judge->rng, unseen, room(judge), drawn);
    for (size_t i = 0; i < found; i++) {
        ks_maker_task(&m, drawn[i], KS_FAMILY_DECLARED, i % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, 0);
        ks_maker_task(&m, drawn[i], judge->arith.kind == KS_ARITH_MULADD ? KS_FAMILY_EXACT : KS_FAMILY_WIDE,
                 KS_FLUSH_END, 0);
        ks_maker_odd(&m, drawn[i], KS_WORTH_SIZE);
    }
    if (found < unseen)
        ks_judge_note(judge, "confirmation: only %zu unseen sizes inside the guard", found);
    ks_maker_task(&m, declared, KS_FAMILY_DECLARED, KS_FLUSH_END, KS_REPEATS);
    ks_maker_task(&m, declared, KS_FAMILY_DECLARED, KS_FLUSH_START, 0);
    struct ks_task *last = &m.tasks.at[m.tasks.len - 1];
    if (last->variation == 0 && ks_problem_scalars(declared).n == 0 && ks_problem_bytes(declared) <= MIDDLE_BYTES)
        last->variation = 1; // other values; of many at other addresses alone
    if (ks_problem_bytes(declared) <= MIDDLE_BYTES) // else seen by the search, and here at other sizes
        ks_maker_odd(&m, declared, KS_WORTH_ALWAYS);
    finish(&m, schedule);
    return KS_OK;
}
