// What is seen for one workload alone; declared in verify/domain.h.
#include <string.h>

#include "verify/domain.h"

// Sizes of another workload beside those of the class.
struct other {
    int64_t *at;       // by the class's sizes
    bool less, more;   // one of them is less than the class's, or more
};

static bool compare(struct ks_arena *arena, const struct ks_mark *mark, size_t workload, const struct ks_value *own,
                    size_t n, struct other *other)
{
    struct ks_value *sizes;
    size_t found = 0;
    *other = (struct other){.at = KS_NEW_ARRAY(arena, int64_t, n)};
    if (ks_problem_sizes(arena, mark, workload, &sizes) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(sizes[k].name, own[i].name) == 0) {
                other->at[i] = sizes[k].value;
                other->less |= sizes[k].value < own[i].value;
                other->more |= sizes[k].value > own[i].value;
                found++;
            }
    return found == n;
}

// Sizes of smaller workloads belong to those: their domains end at most one above what is declared.
static void raise_floors(const struct other *other, const struct ks_value *own, size_t n, struct ks_value *floors)
{
    for (size_t i = 0; i < n; i++) {
        int64_t least = other->at[i] < own[i].value - 2 ? other->at[i] + 2 : own[i].value;
        if (other->at[i] < own[i].value && floors[i].value < least)
            floors[i].value = least;
    }
}

static void leave_out(struct ks_arena *arena, const struct other *other, const struct ks_value *own, size_t n,
                      struct ks_seen *seen)
{
    const struct ks_problem **kept = KS_NEW_ARRAY(arena, const struct ks_problem *, seen->n_passed);
    size_t n_kept = 0;
    for (size_t p = 0; p < seen->n_passed; p++) {
        bool all = true;
        int64_t value;
        for (size_t i = 0; i < n && all; i++)
            all = ks_problem_value(seen->passed[p], own[i].name, &value) && value >= other->at[i];
        if (!all)
            kept[n_kept++] = seen->passed[p];
    }
    seen->passed = kept;
    seen->n_passed = n_kept;
}

void ks_domain_of_class(struct ks_arena *arena, const struct ks_mark *mark, size_t class, struct ks_seen *seen,
                        size_t n_seen)
{
    struct ks_value *own;
    size_t n = ks_problem_sizes(arena, mark, class, &own);
    struct ks_value *floors = KS_NEW_ARRAY(arena, struct ks_value, n);
    for (size_t i = 0; i < n; i++) {
        floors[i] = (struct ks_value){own[i].name, 0};
        for (size_t k = 0; k < seen[class].n_floors; k++)
            if (strcmp(seen[class].floors[k].name, own[i].name) == 0)
                floors[i].value = seen[class].floors[k].value;
    }
    for (size_t w = 0; w < n_seen; w++) {
        struct other other;
        if (w == class)
            continue;
        seen[w].n_passed = 0;
        if (!compare(arena, mark, w, own, n, &other))
            continue;
        if (other.more)
            leave_out(arena, &other, own, n, &seen[class]);
        else if (other.less)
            raise_floors(&other, own, n, floors);
    }
    seen[class].floors = floors;
    seen[class].n_floors = n;
}
