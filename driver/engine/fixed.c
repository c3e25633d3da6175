// Marks whose windows and strides are constants; declared in engine/fixed.h.
#include "engine/fixed.h"

#include <string.h>

#include "engine/struct_sizes.h"

enum { MOST_FIXED = 64 };

struct fixing {
    struct ks_arena *arena;
    const struct ks_workload_mark *w;
    const struct ks_binding *size[MOST_FIXED];
    bool lower[MOST_FIXED];  // taken from others, or dividing them
    bool factor[MOST_FIXED]; // what an extent or the grid is made of
    bool shown[MOST_FIXED];  // to the kernel, by a parameter or the grid
    size_t n;
};

static bool is_parameter(const struct ks_kernel_decl *decl, const char *name)
{
    for (size_t i = 0; i < decl->n_params; i++)
        if (strcmp(decl->params[i].name, name) == 0)
            return true;
    return false;
}

// `under`: of a part that is taken from another, or divides it. `alone`: of no sum.
static void note(struct fixing *f, const struct ks_expr *e, bool under, bool alone)
{
    if (e == NULL || e->op == KS_X_INT)
        return;
    for (size_t i = 0; e->op == KS_X_NAME && i < f->n; i++)
        if (strcmp(f->size[i]->name, e->name) == 0) {
            f->lower[i] |= under;
            f->factor[i] |= alone;
        }
    const bool sum = e->op == KS_X_ADD || e->op == KS_X_SUB;
    for (int i = 0; e->op != KS_X_NAME && i < 4; i++)
        note(f, e->kid[i], under || (i == 1 && (e->op == KS_X_SUB || e->op == KS_X_DIV || e->op == KS_X_MOD)),
             alone && !sum);
}

static void note_shown(void *context, const char *name)
{
    struct fixing *f = context;
    for (size_t i = 0; i < f->n; i++)
        f->shown[i] |= strcmp(f->size[i]->name, name) == 0;
}

static void note_all_shown(struct fixing *f)
{
    struct ks_expr *e;
    for (size_t i = 0; i < f->w->n_lets; i++)
        if (f->w->lets[i].expr->op != KS_X_INT)
            ks_expr_names(f->w->lets[i].expr, note_shown, f);
    for (size_t i = 0; i < f->w->n_settings; i++)
        for (size_t k = 0; k < f->w->settings[i].n_values; k++)
            if (ks_expr_parse(f->arena, "", ks_slice_of(f->w->settings[i].values[k]), &e, NULL) == KS_OK)
                ks_expr_names(e, note_shown, f);
    for (int d = 0; d < 3; d++)
        if (f->w->grid[d])
            ks_expr_names(f->w->grid[d], note_shown, f);
}

static void note_all(struct fixing *f, const struct ks_kernel_decl *decl)
{
    for (size_t i = 0; i < f->w->n_lets; i++)
        if (ks_binding_is_size(&f->w->lets[i]) && f->n < MOST_FIXED) {
            f->shown[f->n] = is_parameter(decl, f->w->lets[i].name);
            f->size[f->n++] = &f->w->lets[i];
        }
    note_all_shown(f);
    for (size_t i = 0; i < f->w->n_arrays; i++)
        note(f, f->w->arrays[i].count, false, true);
    for (size_t i = 0; i < f->w->n_lets; i++)
        note(f, f->w->lets[i].expr, false, f->w->lets[i].expr->op == KS_X_NAME);
    for (int d = 0; d < 3; d++) {
        note(f, f->w->grid[d], false, true);
        note(f, f->w->block[d], false, true);
    }
    note(f, f->w->shared, false, true);
}

static const struct ks_expr *value_of(const struct fixing *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->size[i]->name, name) == 0 && (f->lower[i] || !f->factor[i] || !f->shown[i]))
            return f->size[i]->expr;
    return NULL;
}

// The expression with numbers for what is fixed.
static struct ks_expr *put_in(const struct fixing *f, const struct ks_expr *e)
{
    if (e == NULL)
        return NULL;
    const struct ks_expr *value = e->op == KS_X_NAME ? value_of(f, e->name) : NULL;
    struct ks_expr *out = ks_arena_memdup(f->arena, value ? value : e, sizeof *e);
    for (int i = 0; value == NULL && i < 4; i++)
        out->kid[i] = put_in(f, e->kid[i]);
    return out;
}

static const char *put_in_text(const struct fixing *f, const char *text)
{
    struct ks_expr *e;
    struct ks_buf buf = KS_BUF(4096);
    if (ks_expr_parse(f->arena, "", ks_slice_of(text), &e, NULL) != KS_OK)
        return text; // no integer
    ks_expr_print(&buf, put_in(f, e), NULL, NULL);
    const char *out = ks_arena_strdup(f->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return out;
}

static void set_fixed(const struct fixing *f, const struct ks_kernel_decl *decl, struct ks_workload_mark *out)
{
    out->settings = KS_NEW_ARRAY(f->arena, struct ks_setting, f->w->n_settings + f->n);
    for (size_t i = 0; i < f->w->n_settings; i++) {
        out->settings[i] = f->w->settings[i];
        out->settings[i].values = KS_NEW_ARRAY(f->arena, const char *, f->w->settings[i].n_values);
        for (size_t k = 0; k < f->w->settings[i].n_values; k++)
            out->settings[i].values[k] = put_in_text(f, f->w->settings[i].values[k]);
    }
    for (size_t i = 0; i < f->n; i++)
        if (value_of(f, f->size[i]->name) && is_parameter(decl, f->size[i]->name)) {
            const char **value = KS_NEW(f->arena, const char *);
            *value = ks_arena_printf(f->arena, "%lld", (long long)f->size[i]->expr->value);
            out->settings[out->n_settings++] = (struct ks_setting){f->size[i]->name, value, 1};
        }
}

// All that its clauses reckon, with numbers put in.
static void set_formulas(const struct fixing *f, struct ks_workload_mark *out)
{
    out->lets = KS_NEW_ARRAY(f->arena, struct ks_binding, f->w->n_lets + 1);
    out->n_lets = 0;
    for (size_t i = 0; i < f->w->n_lets; i++)
        if (!value_of(f, f->w->lets[i].name)) {
            out->lets[out->n_lets] = f->w->lets[i];
            out->lets[out->n_lets++].expr = put_in(f, f->w->lets[i].expr);
        }
    out->arrays = KS_NEW_ARRAY(f->arena, struct ks_array, f->w->n_arrays + 1);
    for (size_t i = 0; i < f->w->n_arrays; i++) {
        out->arrays[i] = f->w->arrays[i];
        out->arrays[i].count = put_in(f, f->w->arrays[i].count);
    }
    for (int d = 0; d < 3; d++) {
        out->grid[d] = put_in(f, f->w->grid[d]);
        out->block[d] = put_in(f, f->w->block[d]);
    }
    out->shared = put_in(f, f->w->shared);
}

const struct ks_mark *ks_fixed_mark(struct ks_arena *arena, const struct ks_mark *mark, const struct ks_kernel_decl *decl)
{
    struct fixing f = {.arena = arena, .w = &mark->workloads[0]};
    struct ks_workload_mark *out = ks_arena_memdup(arena, f.w, sizeof *out);
    struct ks_mark *fixed = ks_arena_memdup(arena, mark, sizeof *fixed);
    note_all(&f, decl);
    set_formulas(&f, out);
    set_fixed(&f, decl, out);
    fixed->workloads = out;
    fixed->n_workloads = 1;
    return out->n_lets < f.w->n_lets ? fixed : NULL;
}
