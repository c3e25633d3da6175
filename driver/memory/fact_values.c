#include "memory/fact_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Thresholds, what lies next to them or between them, and the ends of what the fact can be.
static size_t candidates(const struct ks_fact_name *fact, const struct ks_condition *const *conditions,
                         size_t n, double *out)
{
    size_t m = 0;
    out[m++] = 0;
    if (isfinite(fact->most))
        out[m++] = fact->most;
    for (size_t i = 0; i < n; i++)
        if (conditions[i]->op != 0 && strcmp(conditions[i]->fact, fact->name) == 0)
            out[m++] = conditions[i]->number;
    qsort(out, m, sizeof *out, by_value);
    size_t edges = m;
    for (size_t i = 0; i < edges; i++) {
        double next = i + 1 < edges ? out[i + 1] : out[i] + 2;
        out[m++] = fact->kind == KS_FACT_AMOUNT ? (out[i] + next) / 2 : floor(out[i]) + 1;
    }
    if (fact->kind == KS_FACT_PROPERTY)
        out[m++] = 1;
    return m;
}

static bool same_truth(const struct ks_fact_name *fact, const struct ks_condition *const *conditions,
                       size_t n, struct ks_fact_value a, struct ks_fact_value b)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(conditions[i]->fact, fact->name) == 0 &&
            ks_condition_of(conditions[i], a.known, a.value) !=
                ks_condition_of(conditions[i], b.known, b.value))
            return false;
    return true;
}

struct ks_fact_values ks_fact_split(struct ks_arena *arena, const struct ks_fact_name *fact,
                                    const struct ks_condition *const *conditions, size_t n)
{
    double *numbers = KS_NEW_ARRAY(arena, double, 2 * n + 8);
    size_t m = candidates(fact, conditions, n, numbers);
    struct ks_fact_values out = {.at = KS_NEW_ARRAY(arena, struct ks_fact_value, m + 1), .len = 1};
    qsort(numbers, m, sizeof *numbers, by_value);
    for (size_t i = 0; i < m; i++) {
        struct ks_fact_value value = {true, numbers[i]};
        bool seen = value.value < 0 || value.value > fact->most ||
                    (fact->kind != KS_FACT_AMOUNT && floor(value.value) != value.value);
        for (size_t k = 1; k < out.len && !seen; k++)
            seen = same_truth(fact, conditions, n, out.at[k], value);
        if (!seen)
            out.at[out.len++] = value;
    }
    return out;
}
