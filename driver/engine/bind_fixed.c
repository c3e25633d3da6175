// The binding of kernels whose windows and strides a mark gives as sizes.
#include <string.h>

#include "engine/binder.h"
#include "engine/fixed.h"
#include "engine/specimen.h"
#include "engine/struct_sizes.h"

// What an integer is in all probes alike.
static bool is_constant(const struct ks_problem probes[KS_PROBES], size_t arg, int64_t *value)
{
    int64_t other;
    if (!ks_arg_integer(&probes[0].args[arg], value))
        return false;
    for (int p = 1; p < KS_PROBES; p++)
        if (!ks_arg_integer(&probes[p].args[arg], &other) || other != *value)
            return false;
    return true;
}

// That each integer is what it was seen as, where it was one number.
static const char *fixed_guard(struct ks_arena *arena, const struct ks_brief *brief)
{
    struct binder b = {.arena = arena, .brief = brief};
    struct ks_buf buf = KS_BUF(4096);
    int64_t value;
    if (ks_bind_probes(&b, false, NULL) != KS_OK)
        return "";
    for (size_t i = 0; i < b.probe[0].n_args; i++) {
        const struct ks_arg *arg = &b.probe[0].args[i];
        if (is_constant(b.probe, i, &value))
            ks_buf_printf(&buf, "%s%s == %lld", buf.len ? " && " : "",
                          i < b.probe[0].n_params ? arg->name : ks_struct_size_text(arena, &b.probe[0], arg),
                          (long long)value);
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// With the mark that has them as constants, if small runs tell what the kernel is then.
static enum ks_status bind_fixed(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_template *t,
                                 struct ks_binding_list *out, const char **refusal, struct ks_err *err)
{
    KS_TRY(ks_bind_as_marked(arena, brief, t, out, refusal, err));
    const char *guard = out->len > 0 ? fixed_guard(arena, brief) : "";
    for (size_t i = 0; *guard && i < out->len; i++) {
        struct ks_binding_choice *c = &out->at[i];
        c->guard = ks_arena_printf(arena, "%s%s%s", c->guard, *c->guard ? " && " : "", guard);
    }
    return KS_OK;
}

// Whether a size is larger than a number in one of the runs.
static bool is_larger(const struct ks_specimens *specimens, const char *name, int64_t number)
{
    int64_t value;
    for (size_t i = 0; i < specimens->n; i++)
        if (ks_problem_value(&specimens->at[i].problem, name, &value) && value > number)
            return true;
    return false;
}

// Whether each size that is declared larger than a constant is so in one of the runs as well: what a kernel does only up to that
// constant, which is no window then, would be seen nowhere else.
static bool are_as_declared(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_mark *fixed,
                            const struct ks_specimens *specimens)
{
    struct ks_value *all, *left;
    const size_t n = ks_problem_sizes(arena, brief->mark, 0, &all), n_left = ks_problem_sizes(arena, fixed, 0, &left);
    for (size_t c = 0; c < n; c++) {
        bool constant = true;
        for (size_t i = 0; i < n_left; i++)
            constant = constant && strcmp(left[i].name, all[c].name) != 0;
        for (size_t i = 0; constant && i < n_left; i++)
            if (left[i].value > all[c].value && !is_larger(specimens, left[i].name, all[c].value))
                return false;
    }
    return true;
}

enum ks_status ks_bind(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_template *t,
                       struct ks_binding_list *out, const char **refusal, struct ks_err *err)
{
    KS_TRY(ks_bind_as_marked(arena, brief, t, out, refusal, err));
    struct ks_brief fixed = *brief;
    if ((out->len > 0 && !out->at[0].guessed) || !brief->mark || brief->mark->n_workloads == 0)
        return KS_OK;
    fixed.mark = ks_fixed_mark(arena, brief->mark, brief->decl);
    if (fixed.mark == NULL)
        return KS_OK;
    struct ks_specimens *kept = brief->specimens, none = {0};
    if (kept && !kept->fixed) {
        kept->fixed = KS_NEW(arena, struct ks_specimens);
        *kept->fixed = none;
    }
    fixed.specimens = kept ? kept->fixed : &none;
    const struct ks_specimens *specimens = ks_specimens_of(arena, &fixed);
    if (specimens->n == 0 || !are_as_declared(arena, brief, fixed.mark, specimens))
        return KS_OK;
    out->len = 0; // what was guessed
    const char *why = NULL;
    KS_TRY(bind_fixed(arena, &fixed, t, out, &why, err));
    // The word of one that came near is worth more.
    if (why != NULL && (*refusal == NULL || strstr(*refusal, "almost ") == NULL))
        *refusal = why;
    return KS_OK;
}
