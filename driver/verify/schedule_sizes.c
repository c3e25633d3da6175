// The sizes that a schedule tries.
#include <math.h>
#include <string.h>

#include "verify/schedule_maker.h"

#define LONE_SIZES 96
#define NEAR 20         // of sizes that differ by one
#define TILES 4         // of the proposal's numbers, that are taken for the edge of a tile
#define LARGEST_TILE 256
#define LARGEST_REACHED (1 << 24)

bool ks_same_sizes(const struct ks_problem *a, const struct ks_problem *b)
{
    if (a->n_values != b->n_values)
        return false;
    for (size_t i = 0; i < a->n_values; i++)
        if (a->values[i].value != b->values[i].value)
            return false;
    return true;
}

struct ks_problem *ks_maker_problem(struct ks_maker *m, size_t workload, const struct ks_value *overrides,
                                    size_t n, int64_t max_bytes)
{
    struct ks_problem *problem = KS_NEW(m->arena, struct ks_problem);
    const struct ks_tu_mark *mark = m->judge->kernel->mark;
    if (ks_problem_make(m->arena, mark->mark, workload, m->judge->kernel->signature, mark->decl,
                        overrides, n, problem, NULL) != KS_OK ||
        ks_problem_bytes(problem) > max_bytes)
        return NULL;
    ks_vec_each(struct ks_problem *, p, &m->problems)
        if (ks_same_sizes(*p, problem))
            return NULL;
    *ks_vec_push(m->arena, &m->problems) = problem;
    return problem;
}

struct ks_problem *ks_maker_rounded(struct ks_maker *m, size_t workload, const struct ks_shape *shape,
                                    int64_t modulus, int64_t max_bytes)
{
    if (modulus <= 1 || shape->n == 0)
        return NULL;
    struct ks_value *rounded =
        ks_arena_memdup(m->arena, shape->overrides, shape->n * sizeof *rounded);
    for (size_t i = 0; i < shape->n; i++)
        rounded[i].value = (rounded[i].value + modulus - 1) / modulus * modulus;
    return ks_maker_problem(m, workload, rounded, shape->n, max_bytes);
}

// The smallest value of one size, the others as declared, that the guard admits among 1, its modulus, the
// proposal's numbers and fractions of the declared value.
static int64_t lowest(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal,
                      const struct ks_value *sizes, size_t n, size_t which)
{
    int64_t modulus = ks_judge_modulus(m->judge, proposal), tried[KS_MAX_CONSTANTS + 8] = {1, modulus};
    size_t n_tried = 2 + ks_harvest_constants(proposal, tried + 2, KS_MAX_CONSTANTS);
    for (int64_t part = 64; part > 1; part /= 4)
        tried[n_tried++] = sizes[which].value / part;
    int64_t best = sizes[which].value;
    const struct ks_tu_mark *mark = m->judge->kernel->mark;
    for (size_t t = 0; t < n_tried; t++) {
        int64_t value = tried[t] <= 1 ? tried[t] : (tried[t] + modulus - 1) / modulus * modulus;
        struct ks_problem problem;
        if (value < 1 || value >= best)
            continue;
        struct ks_value *one = ks_arena_memdup(m->arena, sizes, n * sizeof *one);
        one[which].value = value;
        if (ks_problem_make(m->arena, mark->mark, workload, m->judge->kernel->signature, mark->decl,
                            one, n, &problem, NULL) == KS_OK &&
            ks_guard_admits(m->judge, m->arena, proposal, &problem))
            best = value;
    }
    return best;
}

// Whether corner number `c` of n sizes puts size `i` as declared; false in *more: there is no such corner.
static bool is_high(size_t n, size_t c, size_t i, bool *more)
{
    *more = true;
    if (n <= KS_MOST_CORNERED) {
        *more = c < (size_t)1 << n;
        return c >> i & 1;
    }
    if (c <= n) // none, one
        return c > 0 && i == c - 1;
    c -= n + 1;
    if (c < n) // all but one
        return i != c;
    c -= n;
    for (size_t a = 0; a < n; c -= n - 1 - a, a++)
        if (c < n - 1 - a)
            return i == a || i == a + 1 + c;
    *more = false;
    return false;
}

void ks_maker_corners(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes)
{
    struct ks_value *sizes;
    const struct ks_tu_mark *mark = m->judge->kernel->mark;
    size_t n = ks_problem_sizes(m->arena, mark->mark, workload, &sizes);
    if (n < 2)
        return;
    struct ks_value *least = ks_arena_memdup(m->arena, sizes, n * sizeof *least);
    for (size_t i = 0; i < n; i++)
        least[i].value = lowest(m, workload, proposal, sizes, n, i);
    bool more;
    for (size_t c = 0; (void)is_high(n, c, 0, &more), more && c < LONE_SIZES; c++) {
        struct ks_value *corner = ks_arena_memdup(m->arena, sizes, n * sizeof *corner);
        for (size_t i = 0; i < n; i++)
            corner[i] = is_high(n, c, i, &more) ? sizes[i] : least[i];
        ks_maker_problem(m, workload, corner, n, max_bytes);
    }
    // One more than the others: who compares sizes with each other may mean "less" or "not more".
    int64_t modulus = ks_judge_modulus(m->judge, proposal);
    for (size_t which = 0; which < n; which++) {
        struct ks_value *beside = ks_arena_memdup(m->arena, sizes, n * sizeof *beside);
        for (size_t i = 0; i < n; i++) {
            int64_t value = (NEAR + modulus - 1) / modulus * modulus + (i == which ? modulus : 0);
            beside[i].value = value < sizes[i].value ? value : sizes[i].value;
        }
        ks_maker_problem(m, workload, beside, n, max_bytes);
    }
}

// Sizes that stand in a relation: `base` each, but for one, which has `own`, and another, which has `other` (0: as the
// rest). None that is larger than declared.
static void add_related(struct ks_maker *m, size_t workload, const struct ks_value *sizes, size_t n, int64_t base,
                        size_t which, int64_t own, size_t second, int64_t other, int64_t max_bytes)
{
    struct ks_value *related = ks_arena_memdup(m->arena, sizes, n * sizeof *related);
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        related[i].value = i == which ? own : i == second && other > 0 ? other : base;
        fits = fits && related[i].value <= sizes[i].value;
    }
    if (fits)
        ks_maker_problem(m, workload, related, n, max_bytes);
}

void ks_maker_related(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes)
{
    struct ks_value *sizes;
    int64_t tiles[KS_MAX_CONSTANTS + 1] = {32}, modulus = ks_judge_modulus(m->judge, proposal);
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    size_t n_tiles = 1 + ks_harvest_constants(proposal, tiles + 1, KS_MAX_CONSTANTS);
    if (n < 2 || n > KS_MOST_CORNERED)
        return;
    for (size_t which = 0; which < n; which++) {
        int64_t near = (NEAR + modulus - 1) / modulus * modulus;
        add_related(m, workload, sizes, n, near, which, 2 * near, 0, 0, max_bytes);
        for (size_t t = 0, made = 0; t < n_tiles && made <= TILES; t++) {
            int64_t whole = (tiles[t] + modulus - 1) / modulus * modulus;
            if (tiles[t] < NEAR / 3 || tiles[t] > LARGEST_TILE)
                continue;
            add_related(m, workload, sizes, n, whole, which, whole + modulus, 0, 0, max_bytes);
            made++;
        }
        // A guard may ask of a product what the code asks of a factor.
        for (int64_t part = 1; part <= modulus && modulus > 1; part++)
            for (size_t second = 0; second < n && modulus % part == 0; second++)
                if (second != which)
                    add_related(m, workload, sizes, n, NEAR + 1, which, part, second, modulus / part, max_bytes);
    }
}

bool ks_maker_alone(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes)
{
    struct ks_value *sizes;
    int64_t edges[KS_MAX_CONSTANTS + 1], modulus = ks_judge_modulus(m->judge, proposal);
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes), made = 0;
    size_t n_edges = ks_harvest_constants(proposal, edges, KS_MAX_CONSTANTS);
    if (n <= KS_MOST_CORNERED)
        return false;
    edges[n_edges++] = 32;
    for (size_t e = 0; e < 3 * n_edges; e++) // one more, one less, itself
        for (size_t which = 0; which < n && made < LONE_SIZES; which++) {
            struct ks_value *alone = ks_arena_memdup(m->arena, sizes, n * sizeof *alone);
            for (size_t i = 0; i < n; i++) {
                int64_t value = i == which ? edges[e / 3] + (e % 3 == 2 ? 0 : 1 - 2 * (int64_t)(e % 3)) : 2 + (int64_t)(i % 2);
                int64_t most = i == which && sizes[i].value < KS_SMALL_SIZE ? KS_SMALL_SIZE : sizes[i].value;
                alone[i].value = ((value < most ? value : most) + modulus - 1) / modulus * modulus;
            }
            made += ks_maker_problem(m, workload, alone, n, max_bytes) != NULL;
        }
    return true;
}

// The problem whose sizes are 1, but for two.
static struct ks_problem *pair(struct ks_maker *m, size_t workload, const struct ks_value *sizes, size_t n, size_t a,
                               int64_t own, size_t b, int64_t other, int64_t max_bytes)
{
    struct ks_value *two = ks_arena_memdup(m->arena, sizes, n * sizeof *two);
    for (size_t i = 0; i < n; i++)
        two[i].value = i == a ? own : i == b ? other : 1;
    bool fits = own >= 1 && other >= 1 && own <= sizes[a].value && other <= sizes[b].value;
    return fits ? ks_maker_problem(m, workload, two, n, max_bytes) : NULL;
}

// The most even way to split a product that both sizes and the guard allow.
static void add_product(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal,
                        const struct ks_value *sizes, size_t n, size_t a, size_t b, int64_t number, int64_t max_bytes)
{
    for (int64_t part = (int64_t)sqrt((double)number); part >= 1; part--)
        for (int swap = 0; swap < 2 && number % part == 0; swap++) {
            struct ks_problem *p = pair(m, workload, sizes, n, swap ? b : a, part, swap ? a : b, number / part, max_bytes);
            if (p != NULL && ks_guard_admits(m->judge, m->arena, proposal, p))
                return;
        }
}

void ks_maker_reached(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t number,
                      int64_t max_bytes)
{
    struct ks_value *sizes;
    struct ks_proposal plan = *proposal;
    plan.source = NULL;
    plan.when = NULL;
    int64_t own[KS_MAX_CONSTANTS], modulus = ks_judge_modulus(m->judge, proposal);
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    size_t n_own = ks_harvest_constants(&plan, own, KS_MAX_CONSTANTS);
    if (number < 2 || number > LARGEST_REACHED || n > KS_MOST_CORNERED)
        return;
    for (size_t b = 1; b < n; b++)
        for (size_t a = 0; a < b; a++) {
            int64_t half = number / 2 - number / 2 % modulus;
            add_product(m, workload, proposal, sizes, n, a, b, number, max_bytes);
            pair(m, workload, sizes, n, a, half, b, number - half, max_bytes);
        }
    for (size_t a = 0; a < n; a++)
        for (size_t i = 0; i < n_own; i++)
            pair(m, workload, sizes, n, a, number * own[i], a, 1, max_bytes);
}

size_t ks_maker_middle(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal,
                       struct ks_rng *rng, size_t wanted, int64_t max_bytes, struct ks_problem **found)
{
    const struct ks_problem *declared = &m->judge->problems[workload];
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    int64_t modulus = ks_judge_modulus(m->judge, proposal);
    size_t n_found = 0;
    for (int attempt = 0; n > 0 && n_found < wanted && attempt < 64; attempt++) {
        struct ks_value *overrides = KS_NEW_ARRAY(m->arena, struct ks_value, n);
        // Where memory or time forbids big ones, smaller ones are drawn.
        int64_t shrink = attempt < 16 ? 1 : (int64_t)1 << (attempt - 8) / 8;
        for (size_t i = 0; i < n; i++) {
            int64_t top = sizes[i].value / shrink > 1 ? sizes[i].value / shrink : 1;
            int64_t from = n_found % 2 == 0 ? top / 2 : top / 10;
            int64_t span = n_found % 2 == 0 ? top - from : top / 2 - from + 1;
            int64_t value = from + (int64_t)ks_rng_below(rng, (uint64_t)span) + 1;
            if (attempt % 2 == 0 && value > modulus)
                value -= value % modulus;
            overrides[i] = (struct ks_value){sizes[i].name, value};
        }
        struct ks_problem *p = ks_maker_problem(m, workload, overrides, n, max_bytes);
        if (p == NULL || ks_same_sizes(p, declared) || !ks_guard_admits(m->judge, m->arena, proposal, p))
            continue;
        found[n_found++] = p;
    }
    return n_found;
}
