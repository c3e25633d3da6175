// Sizes that follow from a proposal's own arithmetic: where its launch changes, and such as its guard ties together.
#include <string.h>

#include "verify/schedule_maker.h"

#define SCANNED 2048   // values of a size that are looked at
#define CHANGES 4      // of a size, beside which sizes are run
#define MOST_CHANGED 8 // sizes, each of which is looked at
#define DRAWN 2000     // tuples of each kind that the guard is asked about
#define TIED 48        // of the first kind, that are run
#define MULTIPLES 24   // of the second
#define EVERY 128      // of each size
#define BEYOND 160     // what is divided by it has to come that far
#define MOST_DIMS 384  // six a step

// What all steps are launched with; 0 where that has no value.
static void launch_of(const struct ks_maker *m, const struct ks_proposal *proposal, const struct ks_problem *problem,
                      const struct ks_layout *layout, int64_t dims[MOST_DIMS])
{
    struct ks_scope scope = ks_judge_scope(m->judge, problem, layout, proposal);
    for (size_t s = 0; s < proposal->n_steps && s < MOST_DIMS / 6; s++)
        for (int d = 0; d < 6; d++) {
            const struct ks_expr *e = d < 3 ? proposal->steps[s].grid[d] : proposal->steps[s].block[d - 3];
            if (e == NULL || !ks_expr_eval(e, ks_scope_lookup, &scope, &dims[6 * s + (size_t)d]))
                dims[6 * s + (size_t)d] = 0;
        }
}

static bool make(const struct ks_maker *m, struct ks_arena *arena, size_t workload, const struct ks_value *sizes, size_t n,
                 struct ks_problem *problem)
{
    const struct ks_tu_mark *mark = m->judge->kernel->mark;
    return ks_problem_make(arena, mark->mark, workload, m->judge->kernel->signature, mark->decl, sizes, n, problem, NULL) ==
           KS_OK;
}

// Values of one size, the others as in `base`, from which to the next the launch is another.
static size_t find_changes(const struct ks_maker *m, size_t workload, const struct ks_proposal *proposal,
                           const struct ks_value *base, size_t n, size_t which, int64_t step, int64_t most,
                           int64_t changes[CHANGES])
{
    struct ks_arena scratch = {0};
    struct ks_value *sizes = ks_arena_memdup(&scratch, base, n * sizeof *sizes);
    int64_t before[MOST_DIMS], now[MOST_DIMS];
    const size_t bytes = (proposal->n_steps < MOST_DIMS / 6 ? proposal->n_steps : MOST_DIMS / 6) * 6 * sizeof *now;
    bool known = false;
    size_t found = 0;
    for (int64_t value = step; value <= most; value += step) {
        struct ks_problem problem;
        sizes[which].value = value;
        bool is = make(m, &scratch, workload, sizes, n, &problem);
        if (is) {
            struct ks_layout layout = ks_layout_of(&scratch, &problem);
            launch_of(m, proposal, &problem, &layout, now);
        }
        // The first ones, and the last.
        if (is && known && memcmp(before, now, bytes) != 0) {
            changes[found < CHANGES ? found : CHANGES - 1] = value - step;
            found += found < CHANGES;
        }
        known = is;
        memcpy(before, now, bytes);
    }
    ks_arena_free(&scratch);
    return found;
}

void ks_maker_changes(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes)
{
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    const int64_t step = ks_judge_modulus(m->judge, proposal);
    if (n == 0 || n > MOST_CHANGED)
        return;
    struct ks_value *base = ks_arena_memdup(m->arena, sizes, n * sizeof *base);
    for (size_t i = 0; i < n; i++) {
        int64_t small = (35 + 2 * (int64_t)i + step - 1) / step * step;
        base[i].value = small < sizes[i].value ? small : sizes[i].value;
    }
    for (size_t which = 0; which < n; which++) {
        int64_t changes[CHANGES], most = sizes[which].value < SCANNED ? sizes[which].value : SCANNED;
        size_t found = find_changes(m, workload, proposal, base, n, which, step, most, changes);
        for (size_t c = 0; c < 3 * found; c++) { // the last of one launch, the first of the next, and one more
            struct ks_value *beside = ks_arena_memdup(m->arena, base, n * sizeof *beside);
            beside[which].value = changes[c / 3] + step * (int64_t)(c % 3);
            if (beside[which].value <= sizes[which].value)
                ks_maker_problem(m, workload, beside, n, max_bytes);
        }
    }
}

void ks_maker_every(struct ks_maker *m, size_t workload, int64_t max_bytes)
{
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    for (size_t which = 0; which < n; which++)
        for (int64_t value = 1; value <= EVERY && value <= sizes[which].value; value++) {
            struct ks_value *one = ks_arena_memdup(m->arena, sizes, n * sizeof *one);
            for (size_t i = 0; i < n; i++) {
                int64_t other = (n <= 3 ? BEYOND : 35) + 2 * (int64_t)i;
                one[i].value = i == which ? value : other < sizes[i].value ? other : sizes[i].value;
            }
            ks_maker_problem(m, workload, one, n, max_bytes);
        }
}

// Tuples, of `wanted` that the guard admits; `multiples`: one size a multiple of another.
static void draw_tied(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes,
                      const struct ks_value *sizes, size_t n, struct ks_rng *rng, bool multiples, size_t wanted)
{
    static const uint64_t tops[] = {4, 8, 16, 64};
    struct ks_arena scratch = {0};
    const int64_t modulus = ks_judge_modulus(m->judge, proposal);
    size_t found = 0;
    for (int t = 0; t < DRAWN && found < wanted; t++) {
        struct ks_value *drawn = ks_arena_memdup(&scratch, sizes, n * sizeof *drawn);
        struct ks_problem problem;
        for (size_t i = 0; i < n; i++) {
            uint64_t top = tops[ks_rng_below(rng, sizeof tops / sizeof *tops)];
            top = (uint64_t)sizes[i].value < top ? (uint64_t)sizes[i].value : top;
            drawn[i].value = 1 + (int64_t)ks_rng_below(rng, top > 0 ? top : 1);
        }
        if (multiples) {
            size_t a = ks_rng_below(rng, n), b = (a + 1 + ks_rng_below(rng, n - 1)) % n;
            int64_t multiple = drawn[b].value * (ks_rng_below(rng, 2) == 0 ? modulus : 1) * (1 + (int64_t)ks_rng_below(rng, 4));
            drawn[a].value = multiple <= sizes[a].value ? multiple : drawn[a].value;
        }
        if (make(m, &scratch, workload, drawn, n, &problem) && ks_guard_admits(m->judge, &scratch, proposal, &problem))
            found += ks_maker_problem(m, workload, ks_arena_memdup(m->arena, drawn, n * sizeof *drawn), n, max_bytes) != NULL;
        if (t % 64 == 63)
            ks_arena_free(&scratch);
    }
    ks_arena_free(&scratch);
}

void ks_maker_tied(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes)
{
    struct ks_value *sizes;
    struct ks_rng rng;
    size_t n = ks_problem_sizes(m->arena, m->judge->kernel->mark->mark, workload, &sizes);
    if (n < 2 || proposal->when == NULL)
        return;
    ks_rng_seed(&rng, m->judge->shape_seed + workload);
    draw_tied(m, workload, proposal, max_bytes, sizes, n, &rng, false, TIED);
    draw_tied(m, workload, proposal, max_bytes, sizes, n, &rng, true, MULTIPLES);
}
