// What the expressions of a mark say of its sizes; declared in engine/specimen_sizes.h.
#include "engine/specimen_sizes.h"

#include <string.h>

#include "base/num.h"
#include "engine/specimen.h"

#define FEW_BLOCKS 3

static bool names_size(const struct ks_expr *e, const char *name)
{
    if (e == NULL)
        return false;
    if (e->op == KS_X_NAME)
        return strcmp(e->name, name) == 0;
    for (int i = 0; i < 4; i++)
        if (names_size(e->kid[i], name))
            return true;
    return false;
}

bool ks_sizes_lead(const struct ks_workload_mark *w, const char *name)
{
    for (size_t i = 0; i < w->n_lets; i++)
        if (w->lets[i].expr->op != KS_X_INT && names_size(w->lets[i].expr, name))
            return true;
    return false;
}

static bool divides(const struct ks_expr *e)
{
    if (e == NULL || e->op == KS_X_DIV || e->op == KS_X_SHR)
        return e != NULL;
    for (int i = 0; i < 4; i++)
        if (divides(e->kid[i]))
            return true;
    return false;
}

bool ks_sizes_are_rounded_down(const struct ks_workload_mark *w)
{
    return divides(w->grid[0]) || divides(w->grid[1]) || divides(w->grid[2]);
}

// Whether nothing is lost where an expression divides.
static bool divides_evenly(const struct ks_expr *e, const struct ks_problem *p)
{
    int64_t a, b, quotient;
    void *of = (void *)(uintptr_t)p;
    for (int i = 0; e != NULL && i < 4; i++)
        if (!divides_evenly(e->kid[i], p))
            return false;
    if (e == NULL || (e->op != KS_X_DIV && e->op != KS_X_SHR))
        return true;
    return ks_expr_eval(e, ks_specimen_lookup, of, &quotient) &&
           ks_expr_eval(e->kid[0], ks_specimen_lookup, of, &a) &&
           ks_expr_eval(e->kid[1], ks_specimen_lookup, of, &b) &&
           a == (e->op == KS_X_DIV ? quotient * b : (int64_t)((uint64_t)quotient << b));
}

bool ks_sizes_speak_for_round_alone(const struct ks_workload_mark *w, const struct ks_problem *p)
{
    return ks_sizes_are_rounded_down(w) && divides_evenly(w->grid[0], p) && divides_evenly(w->grid[1], p) &&
           divides_evenly(w->grid[2], p);
}

size_t ks_sizes_with_zeros(const struct ks_workload_mark *w, const struct ks_value *sizes, size_t n, struct ks_value *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = sizes[i];
        for (size_t k = 0; k < w->n_lets; k++)
            if (strcmp(w->lets[k].name, sizes[i].name) == 0 && w->lets[k].expr->op == KS_X_INT &&
                w->lets[k].expr->value == 0)
                out[i].value = 0;
    }
    return n;
}

bool ks_sizes_hang(const struct ks_workload_mark *w, const struct ks_expr *e, const char *name)
{
    if (e == NULL || names_size(e, name))
        return e != NULL;
    for (size_t i = 0; i < w->n_lets; i++)
        if (w->lets[i].expr->op != KS_X_INT && names_size(e, w->lets[i].name) &&
            ks_sizes_hang(w, w->lets[i].expr, name))
            return true;
    return false;
}

bool ks_sizes_are_launched(const struct ks_workload_mark *w, const char *name)
{
    return ks_sizes_hang(w, w->grid[0], name) || ks_sizes_hang(w, w->grid[1], name) ||
           ks_sizes_hang(w, w->grid[2], name);
}

// Whether a number stands in a formula.
static bool has_number(const struct ks_expr *e, int64_t number)
{
    if (e == NULL || e->op == KS_X_NAME)
        return false;
    if (e->op == KS_X_INT)
        return e->value == number;
    return has_number(e->kid[0], number) || has_number(e->kid[1], number) ||
           has_number(e->kid[2], number) || has_number(e->kid[3], number);
}

// A launch that is too large whatever its sizes are, as of a kernel that goes on in steps of the grid.
static bool is_always_large(const struct ks_workload_mark *w, int64_t most_threads)
{
    int64_t threads = w->grid[0]->value;
    bool sized = false;
    for (int d = 0; d < 3; d++)
        if (w->block[d] && (w->block[d]->op != KS_X_INT || __builtin_mul_overflow(threads, w->block[d]->value, &threads)))
            return false;
    for (size_t i = 0; i < w->n_lets; i++)
        sized |= w->lets[i].expr->op == KS_X_INT;
    return sized && threads > most_threads;
}

const struct ks_mark *ks_sizes_with_few_blocks(struct ks_arena *arena, const struct ks_mark *mark, int64_t most_threads)
{
    static struct ks_expr few = {.op = KS_X_INT, .value = FEW_BLOCKS};
    const struct ks_workload_mark *w = &mark->workloads[0];
    if (w->grid[0] == NULL || w->grid[0]->op != KS_X_INT || w->grid[0]->value <= FEW_BLOCKS)
        return NULL;
    const int64_t blocks = w->grid[0]->value;
    struct ks_workload_mark *less = KS_NEW(arena, struct ks_workload_mark);
    *less = *w;
    less->arrays = KS_NEW_ARRAY(arena, struct ks_array, w->n_arrays);
    less->grid[0] = &few;
    bool an_element_each = false;
    for (size_t i = 0; i < w->n_arrays; i++) {
        less->arrays[i] = w->arrays[i];
        if (!has_number(w->arrays[i].count, blocks))
            continue;
        if (w->arrays[i].count->op != KS_X_INT)
            return NULL;
        less->arrays[i].count = &few;
        an_element_each = true;
    }
    for (size_t i = 0; i < w->n_lets; i++)
        if (w->lets[i].expr->op != KS_X_INT && has_number(w->lets[i].expr, blocks))
            return NULL;
    for (size_t i = 0; i < w->n_settings; i++)
        for (size_t k = 0; k < w->settings[i].n_values; k++) {
            int64_t value;
            if (ks_parse_i64(w->settings[i].values[k], &value) && value == blocks)
                return NULL;
        }
    struct ks_mark *out = KS_NEW(arena, struct ks_mark);
    *out = *mark;
    out->workloads = less;
    out->n_workloads = 1;
    return an_element_each || is_always_large(w, most_threads) ? out : NULL;
}
