// --set=NAME=NUMBER of `ks run` and `ks verify`.
#include <string.h>

#include "app/verb_sizes.h"

// "n=100": a size that replaces the workload's.
enum ks_status verb_read_sizes(struct ks_arena *arena, const struct ks_strv *texts,
                               struct ks_value **values, struct ks_err *err)
{
    *values = KS_NEW_ARRAY(arena, struct ks_value, texts->len);
    for (size_t i = 0; i < texts->len; i++) {
        const char *equals = strchr(texts->at[i], '=');
        if (equals == NULL || !ks_parse_i64(equals + 1, &(*values)[i].value))
            KS_FAIL(err, KS_E_USER, "--set=%s: give NAME=NUMBER, of a let() of the workload",
                    texts->at[i]);
        (*values)[i].name = ks_arena_strndup(arena, texts->at[i], (size_t)(equals - texts->at[i]));
    }
    return KS_OK;
}

// A name that is no size of the workload would be ignored.
enum ks_status verb_check_sizes(struct ks_arena *arena, const struct ks_mark *mark,
                                size_t workload, const struct ks_value *values, size_t n,
                                struct ks_err *err)
{
    struct ks_value *sizes;
    size_t n_sizes = ks_problem_sizes(arena, mark, workload, &sizes);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < n_sizes && strcmp(sizes[k].name, values[i].name) != 0)
            k++;
        if (k == n_sizes)
            KS_FAIL(err, KS_E_USER, "--set=%s: the workload has no let(%s=NUMBER)", values[i].name,
                    values[i].name);
    }
    return KS_OK;
}

enum ks_status verb_resize(struct ks_arena *arena, const struct ks_strv *texts,
                           const struct ks_tu_kernel *kernel, const struct ks_tu_kernel **resized,
                           struct ks_err *err)
{
    struct ks_value *values;
    *resized = kernel;
    if (texts->len == 0)
        return KS_OK;
    KS_TRY(verb_read_sizes(arena, texts, &values, err));
    struct ks_tu_mark *bound = ks_arena_memdup(arena, kernel->mark, sizeof *bound);
    struct ks_tu_kernel *copy = ks_arena_memdup(arena, kernel, sizeof *copy);
    for (size_t w = 0; w < kernel->mark->mark->n_workloads; w++) {
        KS_TRY(verb_check_sizes(arena, kernel->mark->mark, w, values, texts->len, err));
        bound->mark = ks_mark_resized(arena, bound->mark, w, values, texts->len);
    }
    copy->mark = bound;
    *resized = copy;
    return KS_OK;
}
