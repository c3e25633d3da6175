// Which sizes to try besides the declared ones (contract in workload/problem.h).

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"
#include "workload/problem.h"

#define MAX_VALUES 256
#define MAX_MIXED 6

size_t ks_problem_sizes(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                        struct ks_value **sizes)
{
    const struct ks_workload_mark *w = &mark->workloads[workload];
    size_t n = 0;
    *sizes = KS_NEW_ARRAY(arena, struct ks_value, w->n_lets);
    for (size_t i = 0; i < w->n_lets; i++)
        if (ks_binding_is_size(&w->lets[i]))
            (*sizes)[n++] = (struct ks_value){w->lets[i].name, w->lets[i].expr->value};
    return n;
}

struct plan {
    struct ks_arena *arena;
    const struct ks_value *sizes; size_t n_sizes;
    struct ks_shape *shapes; size_t n, max;
};

static int64_t cap(int64_t value, int64_t declared)
{
    int64_t limit = declared > KS_SMALL_SIZE ? declared : KS_SMALL_SIZE;
    return value > limit ? limit : value;
}

static bool same(const struct ks_shape *a, const int64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a->overrides[i].value != values[i])
            return false;
    return true;
}

// Keeps the shape unless it is there already, the declared one, or too much.
static void add_shape(struct plan *plan, const int64_t *values)
{
    bool declared = true;
    for (size_t i = 0; i < plan->n_sizes; i++)
        declared &= values[i] == plan->sizes[i].value;
    if (declared || plan->n >= plan->max)
        return;
    for (size_t k = 0; k < plan->n; k++)
        if (same(&plan->shapes[k], values, plan->n_sizes))
            return;
    struct ks_shape *shape = &plan->shapes[plan->n++];
    shape->n = plan->n_sizes;
    shape->overrides = KS_NEW_ARRAY(plan->arena, struct ks_value, plan->n_sizes);
    for (size_t i = 0; i < plan->n_sizes; i++)
        shape->overrides[i] = (struct ks_value){plan->sizes[i].name, values[i]};
}

static void add_uniform(struct plan *plan, int64_t value)
{
    int64_t *values = KS_NEW_ARRAY(plan->arena, int64_t, plan->n_sizes);
    for (size_t i = 0; i < plan->n_sizes; i++)
        values[i] = cap(value, plan->sizes[i].value);
    add_shape(plan, values);
}

static void add_offset(struct plan *plan, size_t which, int64_t delta) // which == n_sizes: all
{
    int64_t *values = KS_NEW_ARRAY(plan->arena, int64_t, plan->n_sizes);
    for (size_t i = 0; i < plan->n_sizes; i++) {
        values[i] = plan->sizes[i].value;
        if ((which == i || which == plan->n_sizes) && !ks_add_i64(values[i], delta, &values[i]))
            return;
        if (values[i] < 1)
            return;
    }
    add_shape(plan, values);
}

struct pool {
    int64_t at[MAX_VALUES];
    size_t n;
};

static void add_value(struct pool *pool, int64_t value)
{
    for (size_t i = 0; i < pool->n; i++)
        if (pool->at[i] == value)
            return;
    if (value >= 1 && pool->n < MAX_VALUES)
        pool->at[pool->n++] = value;
}

static void add_edges(struct pool *pool, int64_t w)
{
    if (w < 2 || w > INT32_MAX)
        return;
    add_value(pool, w + 1);
    add_value(pool, w - 1);
    add_value(pool, w);
    add_value(pool, 2 * w + 3);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int by_volume(const void *a, const void *b)
{
    const struct ks_shape *x = a, *y = b;
    double p = 1, q = 1;
    for (size_t i = 0; i < x->n; i++) {
        p *= (double)x->overrides[i].value;
        q *= (double)y->overrides[i].value;
    }
    return p < q ? -1 : p > q;
}

size_t ks_problem_shapes(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                         const int64_t *constants, size_t n_constants, uint64_t seed, size_t max,
                         struct ks_shape **shapes)
{
    struct ks_value *sizes;
    size_t n_sizes = ks_problem_sizes(arena, mark, workload, &sizes);
    if (max == 0)
        max = 1;
    struct plan plan = {arena, sizes, n_sizes, KS_NEW_ARRAY(arena, struct ks_shape, max), 0, 0};
    *shapes = plan.shapes;
    if (n_sizes == 0) {
        plan.shapes[0] = (struct ks_shape){0};
        return 1;
    }
    // Room for the last ones first: declared, less and plus one (together and each alone), mixed.
    size_t ends = n_sizes > 1 && n_sizes <= 4 ? 2 + 2 * n_sizes : 2;
    size_t mixed = n_sizes > 1 ? MAX_MIXED : 0;
    size_t room = max - 1;
    ends = ends > room / 2 ? room / 2 : ends;
    mixed = mixed > (room - ends) / 3 ? (room - ends) / 3 : mixed;

    // In order of worth: the bounded room may end the list early.
    static const int64_t primes[] = {7, 61, 251, 1009, 3, 4099};
    struct pool pool = {0};
    add_value(&pool, 1);
    add_value(&pool, 2);
    for (size_t i = 0; i < n_constants; i++)
        add_edges(&pool, constants[i]);
    add_edges(&pool, 32);
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        add_value(&pool, primes[i]);
    size_t uniform = room - ends - mixed;
    plan.max = uniform;
    for (size_t i = 0; i < pool.n; i++)
        add_uniform(&plan, pool.at[i]);
    qsort(plan.shapes, plan.n, sizeof *plan.shapes, by_volume);

    struct ks_rng rng;
    ks_rng_seed(&rng, seed);
    qsort(pool.at, pool.n, sizeof *pool.at, by_value);
    plan.max = plan.n + mixed;
    for (size_t tries = 0; tries < 8 * mixed; tries++) {
        int64_t *values = KS_NEW_ARRAY(arena, int64_t, n_sizes);
        for (size_t i = 0; i < n_sizes; i++)
            values[i] = cap(pool.at[ks_rng_below(&rng, pool.n)], sizes[i].value);
        add_shape(&plan, values);
    }
    plan.max = plan.n + ends;
    add_offset(&plan, n_sizes, -1);
    add_offset(&plan, n_sizes, 1);
    for (size_t i = 0; i < n_sizes && n_sizes > 1; i++) {
        add_offset(&plan, i, -1);
        add_offset(&plan, i, 1);
    }
    plan.shapes[plan.n] = (struct ks_shape){0};
    return plan.n + 1;
}

size_t ks_problem_residues(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                           int64_t step, int64_t count, int64_t around, uint64_t seed,
                           struct ks_shape **shapes)
{
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(arena, mark, workload, &sizes);
    struct ks_rng rng;
    ks_rng_seed(&rng, seed);
    *shapes = KS_NEW_ARRAY(arena, struct ks_shape, (size_t)count);
    if (n == 0)
        return 0;
    int64_t *base = KS_NEW_ARRAY(arena, int64_t, n), *odd = KS_NEW_ARRAY(arena, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        base[i] = around / step + 1 + (int64_t)ks_rng_below(&rng, (uint64_t)count);
        odd[i] = 2 * (int64_t)ks_rng_below(&rng, (uint64_t)count) + 1;
    }
    for (int64_t k = 0; k < count; k++) {
        (*shapes)[k] = (struct ks_shape){KS_NEW_ARRAY(arena, struct ks_value, n), n};
        for (size_t i = 0; i < n; i++) {
            int64_t steps = base[i] + k * odd[i] % count, most = sizes[i].value / step;
            if (most >= 1 && steps > most)
                steps = 1 + (steps - 1) % most;
            (*shapes)[k].overrides[i] = (struct ks_value){sizes[i].name, steps * step};
        }
    }
    return (size_t)count;
}
