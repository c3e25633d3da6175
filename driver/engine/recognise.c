// Whether a form of a template computes what the original computed on its specimens.
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/bind.h"
#include "engine/specimen.h"

#define MOST_ELEMENTS 1024 // of a statement, spread over all
#define LOOK 24            // at least, before a binding is given up: how near it is
#define HOPELESS 3         // wrong from the first on: no more are looked at
#define STRIDE 7919        // a prime: elements are looked at all over the array
#define LEAST_FLOAT 0x1p-126 // results below lose bits, or are zero
#define NEAR_ENOUGH 0.4    // of the elements, to be worth a word

struct subject {
    struct ks_arena *arena;
    const struct ks_template *t;
    const struct ks_assignment *assignment;
    const struct ks_specimen *specimen;
    const struct ks_form *form;
};

static const char *form_text(const struct ks_form *form, const char *name, size_t n)
{
    for (size_t i = 0; i < form->names.n; i++)
        if (strlen(form->names.name[i]) == n && memcmp(form->names.name[i], name, n) == 0)
            return form->names.value[i];
    return NULL;
}

const char *ks_assigned_text(struct ks_arena *arena, const struct ks_template *t,
                             const struct ks_form *form, const struct ks_assignment *assignment,
                             const char *text)
{
    struct ks_buf buf = KS_BUF(1 << 16);
    for (const char *at = text; *at; at++) {
        size_t n = *at == '@' ? strcspn(at + 1, "@") : 0;
        size_t r = 0;
        while (n && r < t->n_roles &&
               (strlen(t->roles[r].name) != n || memcmp(t->roles[r].name, at + 1, n) != 0))
            r++;
        const char *own = n && r == t->n_roles && form ? form_text(form, at + 1, n) : NULL;
        if (own) {
            ks_buf_puts(&buf, own);
            at += n + 1;
            continue;
        }
        if (n == 0 || r == t->n_roles || !assignment->text[r]) {
            ks_buf_putc(&buf, *at);
            continue;
        }
        const char *value = assignment->text[r];
        bool single = value[strcspn(value, " +-*/")] == '\0';
        ks_buf_printf(&buf, single ? "%s" : "(%s)", value);
        at += n + 1;
    }
    const char *out = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return out;
}

static bool role_of(const struct ks_template *t, const char *name, size_t *role)
{
    for (size_t i = 0; i < t->n_roles; i++)
        if (strcmp(t->roles[i].name, name) == 0) {
            *role = i;
            return true;
        }
    return false;
}

static bool integer(const struct subject *s, size_t r, int64_t *value)
{
    struct ks_expr *expr;
    return s->assignment->text[r] != NULL &&
           ks_expr_parse(s->arena, "", ks_slice_of(s->assignment->text[r]), &expr, NULL) == KS_OK &&
           ks_expr_eval(expr, ks_specimen_lookup, (void *)(uintptr_t)&s->specimen->problem, value);
}

static bool by_letter(void *context, const char *name, int64_t *value)
{
    return integer(context, (size_t)((unsigned char)*name - KS_ROLE_LETTER), value);
}

// tail_3: the kernel's own parameter (engine/tail.h).
static bool tail_param(const struct subject *s, const char *name, size_t *param)
{
    int64_t at;
    if (!ks_starts_with(name, "tail_") || !ks_parse_i64(name + 5, &at))
        return false;
    *param = (size_t)at;
    return *param < s->specimen->problem.n_args;
}

static bool number(void *context, const char *name, double *value)
{
    const struct subject *s = context;
    int64_t whole;
    size_t r;
    if (tail_param(s, name, &r) && s->specimen->before[r] == NULL) {
        *value = s->specimen->scalar[r];
        return true;
    }
    if (!role_of(s->t, name, &r))
        return false;
    const struct ks_role *role = &s->t->roles[r];
    const int parameter = s->assignment->parameter[r];
    if (role->kind > KS_ROLE_KIND_INOUT && parameter >= 0) {
        *value = s->specimen->scalar[parameter];
        return true;
    }
    if (role->kind == KS_ROLE_KIND_SCALAR)
        return role->fallback && ks_parse_f64(role->fallback, value);
    if (integer(s, r, &whole)) {
        *value = (double)whole;
        return true;
    }
    return s->assignment->text[r] != NULL && ks_parse_f64(s->assignment->text[r], value);
}

static bool array(void *context, const char *name, struct ks_formula_array *out)
{
    const struct subject *s = context;
    size_t r;
    bool own = tail_param(s, name, &r);
    if (!own && (!role_of(s->t, name, &r) || s->t->roles[r].kind > KS_ROLE_KIND_INOUT))
        return false;
    int parameter = own ? (int)r : s->assignment->parameter[r];
    *out = (struct ks_formula_array){0};
    if (parameter >= 0)
        *out = (struct ks_formula_array){s->specimen->before[parameter],
                                         s->specimen->problem.args[parameter].count};
    return true;
}

// Of what is summed in float nothing but the result is rounded to 16 bits, by half a unit, and no factor.
static double part_of(const struct ks_template *t, enum ks_scalar scalar)
{
    if (scalar != KS_T_F16 && scalar != KS_T_BF16)
        return t->float_sums ? 3e-5 : 3e-4;
    return !t->float_sums ? 0.02 : scalar == KS_T_F16 ? 0x1p-10 : 0x1p-7;
}

static bool equal(const struct ks_template *t, double got, double want, double scale, enum ks_scalar scalar)
{
    if (scalar == KS_T_F32 && fabs(want) > (double)FLT_MAX)
        want = copysign(INFINITY, want);
    if (isnan(got) || isnan(want) || isinf(got) || isinf(want))
        return (isnan(got) && isnan(want)) || got == want;
    if (ks_scalar_is_float(scalar))
        return fabs(got - want) <= part_of(t, scalar) * (fabs(want) + 0.3 * scale) + LEAST_FLOAT;
    return got == want;
}

static const char *differs(const struct subject *s, const struct ks_formula *f, size_t statement,
                           const int64_t *indices, double got, double want)
{
    const char *const *names;
    size_t n = ks_formula_loops(f, statement, &names);
    struct ks_buf buf = KS_BUF(1024);
    ks_buf_printf(&buf, "%s is %.6g there and %.6g here at", ks_formula_target(f, statement), got,
                  want);
    for (size_t i = 0; i < n; i++)
        ks_buf_printf(&buf, " %s=%lld", names[i], (long long)indices[i]);
    const char *text = ks_arena_strdup(s->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// Of what passes the range on the original's way, squares of great numbers or sums of the last ones, nothing is known, nor
// of what follows makes of a NaN: a limit may pass it over.
static bool is_open(const struct subject *s, const struct ks_formula *f, double got, double want)
{
    const struct ks_specimen_data *data = &s->specimen->data;
    if ((data->low || data->beyond >= KS_BEYOND_LAST_BELOW) && !isfinite(got) && ks_formula_is_beyond(f))
        return true;
    return data->beyond != KS_BEYOND_NOTHING && s->form->tail.what && isnan(want);
}

// One statement against what was written to its array.
static bool holds(const struct subject *s, struct ks_formula *f, size_t statement,
                  struct ks_near_miss *near)
{
    size_t r;
    int64_t total = ks_formula_count(f, statement), written = 0, altered = 0, right = 0, seen = 0, indices[16];
    const bool own = tail_param(s, ks_formula_target(f, statement), &r);
    if ((!own && !role_of(s->t, ks_formula_target(f, statement), &r)) || total <= 0)
        return false;
    int parameter = own ? (int)r : s->assignment->parameter[r];
    if (parameter < 0)
        return true; // nothing is written there
    const struct ks_arg *arg = &s->specimen->problem.args[parameter];
    const double *before = s->specimen->before[parameter], *after = s->specimen->after[parameter];
    const bool *changed = s->specimen->written[parameter];
    double scale = s->specimen->scale[parameter];
    for (int64_t i = 0; i < arg->count; i++) {
        written += changed[i];
        altered += changed[i] && arg->role != KS_ROLE_OUT && memcmp(&before[i], &after[i], sizeof *after) != 0;
    }
    // Of an array that was read as well, an element may have been given the value that it had.
    if (arg->role == KS_ROLE_OUT && arg->elem.size >= 4 && written != total &&
        ks_formula_statements(f) == 1)
        return false;
    if (altered > total && ks_formula_statements(f) == 1)
        return false; // more than the formula has
    int64_t step = total % STRIDE == 0 ? 1 : STRIDE, nth = 0;
    const char *how = NULL;
    for (int64_t i = 0; i < total && i < MOST_ELEMENTS; i++, nth = (nth + step) % total) {
        int64_t at;
        double want;
        if (how != NULL && (i >= LOOK || (i >= HOPELESS && right == 0)))
            break;
        seen++;
        if (!ks_formula_element(f, statement, nth, &at, &want, indices) || at >= arg->count)
            return false;
        const bool open = is_open(s, f, after[at], want);
        if ((changed[at] || arg->role != KS_ROLE_OUT) &&
            (open || equal(s->t, after[at], want, scale, arg->elem.scalar)))
            right++;
        else if (how == NULL)
            how = differs(s, f, statement, indices, after[at], want);
    }
    double share = (double)right / (double)seen;
    if (how != NULL && share > near->share && share >= NEAR_ENOUGH && seen > 3) {
        near->share = share;
        near->text = how;
    }
    return how == NULL;
}

static bool says_epsilon(const struct ks_template *t)
{
    for (size_t r = 0; r < t->n_roles; r++)
        if (t->roles[r].kind == KS_ROLE_KIND_LITERAL && t->roles[r].elem)
            return true;
    return false;
}

// Whether all statements hold on all of the specimens, those of round sizes or the others, that the form speaks for; *looked
// counts them.
static bool holds_on(struct subject *s, const struct ks_specimens *all, bool round, struct ks_near_miss *near, int *looked)
{
    struct ks_formula *means = s->form->means;
    for (size_t i = 0; i < all->n; i++) {
        const struct ks_formula_scope scope = {s, number, array};
        s->specimen = &all->at[i];
        if ((s->specimen->round > 0) != round)
            continue;
        if (s->specimen->data.assumed && !says_epsilon(s->t))
            continue;
        if (s->t->domain && !ks_expr_holds(s->t->domain, by_letter, s))
            continue;
        if (ks_formula_bind(means, s->t->file, &scope, NULL) != KS_OK)
            return false;
        for (size_t k = 0; k < ks_formula_statements(means); k++)
            if (!holds(s, means, k, near))
                return false;
        ++*looked;
    }
    return true;
}

// `beyond: x`: the formula holds of what is no number in x, too. `told_beyond: x`: only that tells the form from another.
// Whether a value hangs on the sum before what follows is for numbers alone to say.
static bool holds_beyond(struct subject *s, const struct ks_brief *brief, bool round, struct ks_near_miss *near)
{
    const char *told = form_text(s->form, "told_beyond", 11);
    const char *role = told ? told : form_text(s->form, "beyond", 6);
    size_t r;
    int looked = 0;
    if (s->form->own != NULL && s->form->own != s->form->means)
        return true;
    if (role == NULL || !role_of(s->t, role, &r) || s->assignment->parameter[r] < 0)
        return told == NULL;
    const struct ks_specimens *runs = ks_specimens_beyond(s->arena, brief, (size_t)s->assignment->parameter[r]);
    return holds_on(s, runs, round, near, &looked) && (told == NULL || looked > 0);
}

enum ks_recognised ks_recognise(struct ks_arena *arena, const struct ks_brief *brief,
                                const struct ks_template *t, const struct ks_form *form,
                                const struct ks_assignment *assignment, bool round,
                                struct ks_near_miss *near)
{
    if (form->means == NULL)
        return KS_RECOGNISED_UNKNOWN;
    const struct ks_specimens *all = ks_specimens_of(arena, brief);
    struct subject s = {.arena = arena, .t = t, .assignment = assignment, .form = form};
    int looked = 0;
    if (all->n == 0)
        return KS_RECOGNISED_UNKNOWN;
    return holds_on(&s, all, round, near, &looked) && looked > 0 && holds_beyond(&s, brief, round, near)
               ? KS_RECOGNISED
               : KS_NOT_RECOGNISED;
}
