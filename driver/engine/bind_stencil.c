// The binding of a stencil: at which distances along a grid's axes its elements lie, and which of them are written.
#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "engine/bind_stencil.h"
#include "engine/specimen.h"

enum { MOST_MARGINS = 3 };

// ---- a grid's sizes

// A size as the text's polynomials have it.
static bool size_of(const struct binder *b, const char *text, struct ks_poly *size)
{
    const struct ks_kernel_decl *decl = b->brief->decl;
    const char *symbol = NULL;
    int64_t number;
    for (size_t i = 0; i < decl->n_params && !symbol; i++)
        symbol = strcmp(decl->params[i].name, text) == 0 ? text : NULL;
    ks_vec_each (const struct ks_member, m, &b->stencil->members)
        symbol = strcmp(m->plan, text) == 0 ? m->name : symbol;
    *size = symbol ? ks_poly_symbol(symbol) : ks_poly_constant(ks_parse_i64(text, &number) ? number : 0);
    return symbol || size->n > 0;
}

static bool find_sizes(struct ks_stencil_grid *g)
{
    static const char *const names[] = {"w", "h", "d"};
    g->stride[0] = ks_poly_constant(1);
    for (int a = 0; a < g->axes; a++) {
        size_t r = 0;
        while (r < g->b->t->n_roles && strcmp(g->b->t->roles[r].name, names[a]) != 0)
            r++;
        if (r == g->b->t->n_roles || !size_of(g->b, g->assignment->text[r], &g->size[a]))
            return false;
        g->role[a] = r;
        g->text[a] = g->assignment->text[r];
        if (a > 0)
            g->stride[a] = ks_poly_product(&g->stride[a - 1], &g->size[a - 1]);
    }
    return true;
}

static int64_t elements(const struct ks_stencil_grid *g, int probe)
{
    int64_t n = 1;
    for (int a = 0; a < g->axes; a++)
        n *= g->b->value[g->role[a]][probe];
    return n;
}

static bool is_a_grid(const struct ks_stencil_grid *g, size_t param)
{
    for (int p = 0; p < KS_PROBES; p++)
        if (ks_bind_arg(g->b, p, param)->count != elements(g, p))
            return false;
    return true;
}

// ---- distances

// 0, 1, -1, 2, -2, ...
static int nth(int i)
{
    return i % 2 ? (i + 1) / 2 : -(i / 2);
}

// A distance as steps along the axes.
static bool take_apart(const struct ks_stencil_grid *g, const struct ks_poly *away, int off[3])
{
    int turns[3] = {1, 1, 1};
    for (int a = 1; a < g->axes; a++)
        turns[a] = 2 * KS_STENCIL_REACH + 1;
    for (int i = 0; i < turns[1] * turns[2]; i++) {
        struct ks_poly left = *away;
        off[1] = nth(i % turns[1]);
        off[2] = nth(i / turns[1]);
        for (int a = 1; a < g->axes; a++)
            left = ks_poly_sum(&left, &g->stride[a], -off[a]);
        const int64_t x = left.n ? left.term[0].coef : 0;
        if (!left.known || left.n > 1 || (left.n == 1 && left.term[0].n > 0) || x > KS_STENCIL_REACH || x < -KS_STENCIL_REACH)
            continue;
        off[0] = (int)x;
        return true;
    }
    return false;
}

static bool find_distances(struct ks_stencil_grid *g)
{
    const struct ks_stencil *st = g->b->stencil;
    for (size_t i = 0; i < st->n_taps; i++) {
        if (!is_a_grid(g, st->taps[i].param) || !take_apart(g, &st->taps[i].away, g->off[i]))
            return false;
        for (int a = 0; a < 3; a++) {
            g->low[a] = g->off[i][a] < -g->low[a] ? -g->off[i][a] : g->low[a];
            g->high[a] = g->off[i][a] > g->high[a] ? g->off[i][a] : g->high[a];
        }
    }
    for (size_t k = 0; k < st->n_outs; k++)
        if (!is_a_grid(g, st->outs[k].param))
            return false;
    return true;
}

// ---- what places are compared with

// An integer that is no size of the grid: the product of some, which the guard asks for then.
static bool is_product(struct ks_stencil_grid *g, const char *name)
{
    struct ks_integer integer;
    if (!ks_integer_read(g->b->arena, g->b->probe, name, &integer))
        return false;
    for (int set = 1; set < 1 << g->axes; set++) {
        bool same = true;
        const char *text = "";
        for (int p = 0; p < KS_PROBES; p++) {
            int64_t n = 1;
            for (int a = 0; a < g->axes; a++)
                n *= set >> a & 1 ? g->b->value[g->role[a]][p] : 1;
            same &= n == integer.value[p];
        }
        for (int a = 0; a < g->axes && same; a++)
            if (set >> a & 1)
                text = ks_arena_printf(g->b->arena, "%s%s%s", text, *text ? " * " : "", g->text[a]);
        if (same) {
            g->asks = ks_arena_printf(g->b->arena, "%s%s%s == %s", g->asks, *g->asks ? " && " : "", name, text);
            return true;
        }
    }
    return false;
}

static bool tests_sizes_alone(struct ks_stencil_grid *g)
{
    const struct ks_stencil *st = g->b->stencil;
    for (size_t i = 0; i < st->named.len; i++) {
        const char *name = st->named.at[i];
        bool is = false;
        for (int a = 0; a < g->axes; a++)
            is |= strcmp(g->text[a], name) == 0;
        if (!is && !is_product(g, name))
            return false;
    }
    for (size_t i = 0; i < st->n_sizes; i++) {
        bool is = false;
        for (int a = 0; a < g->axes; a++) {
            const int64_t size = g->size[a].n == 1 && g->size[a].term[0].n == 0 ? g->size[a].term[0].coef : 0;
            const int64_t number = st->sizes[i] < 0 ? -st->sizes[i] : st->sizes[i];
            is |= size > 0 && number >= size - KS_STENCIL_REACH && number <= size + KS_STENCIL_REACH;
        }
        if (!is)
            return false;
    }
    return true;
}

// ---- what is written

static bool sizes_at(const struct ks_stencil_grid *g, const struct ks_specimen *s, int64_t size[3])
{
    size[0] = size[1] = size[2] = 1;
    for (int a = 0; a < g->axes; a++) {
        struct ks_expr *expr;
        if (ks_expr_parse(g->b->arena, "", ks_slice_of(g->text[a]), &expr, NULL) != KS_OK ||
            !ks_expr_eval(expr, ks_specimen_lookup, (void *)(uintptr_t)&s->problem, &size[a]))
            return false;
    }
    return true;
}

// How far from the grid's ends what a run wrote begins and ends; false where it wrote nothing.
static bool margins_at(const struct ks_stencil_grid *g, const struct ks_specimen *s, size_t param, int64_t low[3],
                       int64_t high[3])
{
    int64_t size[3];
    bool any = false;
    if (!sizes_at(g, s, size) || size[0] * size[1] * size[2] != s->problem.args[param].count)
        return false;
    for (int64_t i = 0; i < s->problem.args[param].count; i++) {
        const int64_t at[3] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
        for (int a = 0; a < 3 && s->written[param][i]; a++) {
            const int64_t behind = size[a] - 1 - at[a];
            low[a] = !any || at[a] < low[a] ? at[a] : low[a];
            high[a] = !any || behind < high[a] ? behind : high[a];
        }
        any |= s->written[param][i];
    }
    return any;
}

// The same in all runs and of all arrays.
static bool find_margins(struct ks_stencil_grid *g)
{
    const struct ks_specimens *all = ks_specimens_of(g->b->arena, g->b->brief);
    const struct ks_stencil *st = g->b->stencil;
    bool any = false;
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < st->n_outs; k++) {
            int64_t low[3], high[3];
            if (!margins_at(g, &all->at[i], st->outs[k].param, low, high))
                continue;
            for (int a = 0; a < 3; a++) {
                if (low[a] > KS_STENCIL_REACH || high[a] > KS_STENCIL_REACH ||
                    (any && (low[a] != g->from[a] || high[a] != g->upto[a])))
                    return false;
                g->from[a] = (int)low[a];
                g->upto[a] = (int)high[a];
            }
            any = true;
        }
    return any;
}

// ---- forms

// The nth way to tell elements that the stencil reaches from the others.
static bool place_inner(struct ks_stencil_grid *g, int way)
{
    int most = 0;
    for (int a = 0; a < g->axes; a++) {
        const int reach = g->low[a] > g->high[a] ? g->low[a] : g->high[a];
        most = reach > most ? reach : most;
    }
    for (int a = 0; a < g->axes; a++) {
        const int reach = g->low[a] > g->high[a] ? g->low[a] : g->high[a];
        g->inner_from[a] = way == 0 ? g->from[a] : way == 1 ? g->low[a] : way == 2 ? reach : most;
        g->inner_upto[a] = way == 0 ? g->upto[a] : way == 1 ? g->high[a] : way == 2 ? reach : most;
        if (g->inner_from[a] < g->low[a] || g->inner_upto[a] < g->high[a] || g->inner_from[a] < g->from[a] ||
            g->inner_upto[a] < g->upto[a])
            return false;
    }
    return true;
}

// Grids in which the stencil reaches something.
static enum ks_status set_domain(struct ks_stencil_grid *g, struct ks_err *err)
{
    const char *text = "";
    for (int a = 0; a < g->axes; a++) {
        const int reach = g->low[a] > g->high[a] ? g->low[a] : g->high[a];
        text = ks_arena_printf(g->b->arena, "%s%s@%s@ > %d", text, a ? " && " : "", g->b->t->roles[g->role[a]].name,
                               g->folded[a] ? reach : g->inner_from[a] + g->inner_upto[a]);
    }
    g->b->own->domain_text = text;
    return ks_template_expr(g->b->arena, g->b->t, 1, text, &g->b->own->domain, err);
}

// Whether some elements lie beyond an end, all of which are such for which the kernel has others.
static bool is_folded(struct ks_stencil_grid *g)
{
    const struct ks_stencil *st = g->b->stencil;
    bool any = false;
    for (size_t i = 0; i < st->n_taps; i++)
        for (int a = 0; a < g->axes; a++)
            if (-g->off[i][a] > g->from[a] || g->off[i][a] > g->upto[a]) {
                if (!st->taps[i].folded || g->from[a] > 0 || g->upto[a] > 0)
                    return false;
                g->folded[a] = any = true;
            }
    return any;
}

static bool take_form(struct ks_stencil_grid *g, struct ks_err *err)
{
    struct binder *b = g->b;
    struct ks_near_miss near = {0};
    if (set_domain(g, err) != KS_OK || ks_stencil_form(g, &b->own->forms[0], err) != KS_OK)
        return false;
    return ks_recognise(b->arena, b->brief, b->t, &b->own->forms[0], g->assignment, b->round, &near) == KS_RECOGNISED;
}

bool ks_bind_stencil_forms(struct binder *b, const struct ks_assignment *assignment)
{
    struct ks_stencil_grid g = {.b = b, .assignment = assignment, .axes = b->t->stencil, .asks = ""};
    const bool others = b->stencil->outs[0].other != NULL;
    struct ks_err err = {0};
    bool found = false;
    b->own->n_forms = 0;
    b->asked = true;
    if (!find_sizes(&g) || !find_distances(&g) || !tests_sizes_alone(&g) || !find_margins(&g))
        return false;
    for (int way = others; way <= (others ? MOST_MARGINS : 0) && !found; way++)
        found = place_inner(&g, way) && take_form(&g, &err);
    if (!found && !others && is_folded(&g)) {
        memcpy(g.inner_from, g.from, sizeof g.from);
        memcpy(g.inner_upto, g.upto, sizeof g.upto);
        for (g.ends = KS_STENCIL_CLAMPED; g.ends < KS_STENCIL_ENDS && !found; g.ends++)
            found = take_form(&g, &err);
    }
    b->own->n_forms = found;
    return found;
}

// Arrays that it reads are no role's.
static bool take_parameters(struct binder *b)
{
    const struct ks_stencil *st = b->stencil;
    enum ks_scalar scalar = ks_bind_arg(b, 0, st->outs[0].param)->elem.scalar;
    for (size_t i = 0; i < b->brief->decl->n_params; i++) {
        const struct ks_arg *arg = ks_bind_arg(b, 0, i);
        bool written = false, read = false;
        for (size_t k = 0; k < st->n_outs; k++)
            written |= st->outs[k].param == i;
        for (size_t k = 0; k < st->n_taps; k++)
            read |= st->taps[k].param == i;
        for (size_t k = 0; k < st->n_fixed; k++)
            read |= st->fixed[k].param == i;
        for (size_t k = 0; k < st->numbers.n_scalars; k++)
            b->taken[i] |= st->numbers.scalars[k] == i && arg->float_scalar;
        if (!written && !read)
            continue;
        if (arg->kind != KS_ARG_BUFFER || arg->elem.lanes != 1 || arg->alias_of >= 0 || arg->elem.scalar != scalar ||
            (written ? arg->role == KS_ROLE_IN : arg->role == KS_ROLE_OUT))
            return false;
        b->taken[i] = i != st->outs[0].param;
    }
    return true;
}

bool ks_bind_stencil(struct binder *b)
{
    struct ks_stencil *stencil = KS_NEW(b->arena, struct ks_stencil);
    if (!ks_stencil_find(b->arena, b->brief, stencil, &b->no_front))
        return false;
    b->own = ks_arena_memdup(b->arena, b->t, sizeof *b->t);
    b->own->forms = ks_arena_memdup(b->arena, b->t->forms, sizeof *b->t->forms);
    b->stencil = stencil;
    if (!take_parameters(b))
        return false;
    b->t = b->own;
    return true;
}
