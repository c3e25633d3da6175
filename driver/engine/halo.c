#include "engine/halo.h"

#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "engine/loop.h"

struct range { // of a loop's variable, both ends included
    const struct ks_node *var;
    int64_t low, high;
};
struct finder {
    const struct ks_subject *s;
    struct ks_affine env; // declarations in sight
    struct range loops[KS_HALO_LOOPS]; // round here, whose range the text tells
    int n_loops;
    struct ks_halo *halo;
    const char *why; // the first read that is none of ours, and why
};

static void refuse(struct finder *f, const struct ks_node *read, const char *why)
{
    if (!f->why)
        f->why = ks_arena_printf(f->s->arena, "line %d: %.60s is not staged: %s", read->line,
                                 ks_node_text(f->s->arena, &f->s->body, read), why);
}

static bool is_constant(const struct finder *f, const char *name)
{
    if (ks_affine_find(&f->env, name))
        return false;
    if (ks_subject_constant((void *)(uintptr_t)f->s, name))
        return true;
    for (size_t i = 0; i < f->s->decl->n_params; i++) {
        const struct ks_type *type = &f->s->decl->params[i].type;
        if (strcmp(f->s->decl->params[i].name, name) == 0)
            return !type->pointer && type->elem.lanes == 1 && type->elem.scalar != KS_T_NONE &&
                   !ks_scalar_is_float(type->elem.scalar);
    }
    return false;
}

// The axis of which the symbol is the index: the thread's number, which stands for all of it, or the block's where
// blocks are one thread wide; -1: no such.
static int axis_of(const struct finder *f, const char *name)
{
    for (int a = 0; a < 3; a++) {
        const struct ks_map_axis *axis = &f->s->map.axis[a];
        bool alone = axis->block && strcmp(axis->block, "1") == 0;
        const char number[] = {alone ? 'b' : 't', (char)('x' + a), '\0'};
        if (axis->used && name[0] == number[0] && name[strlen(name) - 1] == number[1] &&
            ks_starts_with(name, alone ? "blockIdx." : "threadIdx."))
            return a;
    }
    return -1;
}

// The loop of which the symbol is the variable, or NULL.
static const struct range *range_of(const struct finder *f, const char *name)
{
    const struct ks_affine_local *local = ks_affine_find(&f->env, name);
    for (int i = 0; local != NULL && i < f->n_loops; i++)
        if (f->loops[i].var == local->var)
            return &f->loops[i];
    return NULL;
}

// A part of an index that a loop's variable is a factor of, as so many steps along an axis; false where it is none.
static bool take_turn(const struct ks_halo_patch *patch, const struct ks_poly *factor, const char *var,
                      struct ks_halo_read *read)
{
    for (int a = 0; a < 3; a++)
        for (int by = -KS_HALO_REACH; by <= KS_HALO_REACH; by++) {
            struct ks_poly zero = ks_poly_constant(0), steps = ks_poly_sum(&zero, &patch->stride[a], by);
            if (by == 0 || patch->stride[a].n == 0 || read->n_turns == KS_HALO_LOOPS || !ks_poly_equal(&steps, factor))
                continue;
            read->turns[read->n_turns++] = (struct ks_halo_turn){var, a, by};
            return true;
        }
    return false;
}

// An index as strides of the axes' indexes, what loops add along them, and the rest; NULL, or why it is no such sum.
static const char *take_apart(const struct finder *f, const struct ks_poly *p, struct ks_halo_patch *patch,
                              struct ks_halo_read *read)
{
    static const char *const more = "its index depends on more than the item's numbers and the launch";
    struct ks_poly factors[KS_POLY_TERMS];
    const char *vars[KS_POLY_TERMS];
    int n = 0;
    if (!p->known)
        return "its index is no sum of products";
    patch->origin = ks_poly_constant(0);
    for (int a = 0; a < 3; a++)
        patch->stride[a] = ks_poly_constant(0);
    for (int i = 0; i < p->n; i++) {
        struct ks_term rest = {.coef = p->term[i].coef};
        const char *var = NULL;
        int axis = -1;
        bool share = false; // a block's, of an index that the thread's number stands for
        for (int k = 0; k < p->term[i].n; k++) {
            const char *name = p->term[i].symbol[k];
            int number = axis_of(f, name);
            bool turn = range_of(f, name) != NULL;
            share |= number < 0 && ks_starts_with(name, "blockIdx.");
            if ((number >= 0 || turn) && (axis >= 0 || var != NULL))
                return "its index is a product of the item's numbers or of turns";
            if (number >= 0)
                axis = number;
            else if (turn)
                var = name;
            else
                rest.symbol[rest.n++] = name;
        }
        if (share)
            continue;
        for (int k = 0; k < rest.n; k++)
            if (!is_constant(f, rest.symbol[k]))
                return more;
        struct ks_poly one = {.known = true, .n = 1, .term = {rest}};
        if (var != NULL) {
            vars[n] = var;
            factors[n++] = one;
            continue;
        }
        struct ks_poly *to = axis < 0 ? &patch->origin : &patch->stride[axis];
        *to = ks_poly_sum(to, &one, 1);
        if (!to->known)
            return "its index is no sum of products";
    }
    struct ks_poly unit = ks_poly_constant(1);
    if (!ks_poly_equal(&patch->stride[0], &unit))
        return "neighbours in x do not read neighbours";
    for (int i = 0; i < n; i++)
        if (!take_turn(patch, &factors[i], vars[i], read))
            return more;
    return NULL;
}

// 0, 1, -1, 2, -2, ...: so that of several ways to one element the shortest is found.
static int nth(int i)
{
    return i % 2 ? (i + 1) / 2 : -(i / 2);
}

// Whether the element lies near the patch's first read, and where.
static bool is_near(const struct ks_halo_patch *patch, const struct ks_halo_patch *own, int off[3])
{
    struct ks_poly apart = ks_poly_sum(&own->origin, &patch->origin, -1);
    for (int a = 0; a < 3; a++)
        if (patch->param != own->param || !ks_poly_equal(&patch->stride[a], &own->stride[a]))
            return false;
    int turns[3];
    for (int a = 1; a < 3; a++)
        turns[a] = patch->stride[a].n ? 2 * KS_HALO_REACH + 1 : 1;
    for (int z = 0; z < turns[2]; z++)
        for (int y = 0; y < turns[1]; y++) {
            struct ks_poly left = ks_poly_sum(&apart, &patch->stride[2], -nth(z));
            left = ks_poly_sum(&left, &patch->stride[1], -nth(y));
            int64_t x = left.n ? left.term[0].coef : 0;
            if (!left.known || left.n > 1 || (left.n == 1 && left.term[0].n > 0) || x > KS_HALO_REACH ||
                x < -KS_HALO_REACH)
                continue;
            off[0] = (int)x;
            off[1] = nth(y);
            off[2] = nth(z);
            return true;
        }
    return false;
}

static void widen(const struct range *range, int by, int *low, int *high)
{
    *low += by * (int)(by > 0 ? range->low : range->high);
    *high += by * (int)(by > 0 ? range->high : range->low);
}

static void add(struct finder *f, const struct ks_node *read, const struct ks_node *whole)
{
    const struct ks_subject *s = f->s;
    struct ks_halo_read one = {.node = whole, .patch = -1};
    struct ks_halo_patch own = {.line = read->line, .first = read};
    for (own.param = 0; strcmp(s->decl->params[own.param].name, read->kid[0]->text) != 0;)
        own.param++;
    const struct ks_param_use *use = &s->access.use[own.param];
    bool fixed = s->decl->params[own.param].type.pointee_const;
    struct ks_poly index = ks_affine_eval(&f->env, read->kid[1]);
    own.type = ks_subject_value(s, own.param);
    own.bytes = (int)s->brief->signature->params[own.param].elem.size;
    const char *why = own.type == NULL                                 ? "the type of its elements is not known"
                      : use->written || (!fixed && use->opaque != NULL) ? "the array may be written"
                                                                       : take_apart(f, &index, &own, &one);
    if (why) {
        refuse(f, read, why);
        return;
    }
    struct ks_halo *h = f->halo;
    for (size_t i = 0; i < h->n_patches && one.patch < 0; i++)
        if (is_near(&h->patches[i], &own, one.off))
            one.patch = (int)i;
    if (one.patch < 0) {
        one.patch = (int)h->n_patches;
        ks_vec_grow_(s->arena, (void **)&h->patches, &h->n_patches, &h->cap_patches, sizeof own);
        h->patches[one.patch] = own;
    }
    struct ks_halo_patch *patch = &h->patches[one.patch];
    for (int a = 0; a < 3; a++) {
        int low = one.off[a], high = one.off[a];
        for (int i = 0; i < one.n_turns; i++)
            if (one.turns[i].axis == a)
                widen(range_of(f, one.turns[i].var), one.turns[i].by, &low, &high);
        patch->low[a] = low < patch->low[a] ? low : patch->low[a];
        patch->high[a] = high > patch->high[a] ? high : patch->high[a];
    }
    ks_vec_grow_(s->arena, (void **)&h->reads, &h->n_reads, &h->cap_reads, sizeof one);
    h->reads[h->n_reads - 1] = one;
}

static bool is_array(const struct finder *f, const struct ks_node *node)
{
    if (node->kind != KS_N_INDEX || node->kid[0]->kind != KS_N_NAME || ks_affine_find(&f->env, node->kid[0]->text))
        return false;
    for (size_t i = 0; i < f->s->decl->n_params; i++)
        if (strcmp(f->s->decl->params[i].name, node->kid[0]->text) == 0)
            return f->s->decl->params[i].type.pointer;
    return false;
}

static void expression(struct finder *f, const struct ks_node *node)
{
    bool loads = node->kind == KS_N_CALL && node->n == 2 && ks_node_is(node->kid[0], KS_N_NAME, "__ldg") &&
                 ks_node_is(node->kid[1], KS_N_UNARY, "&");
    if (loads && is_array(f, node->kid[1]->kid[0])) {
        add(f, node->kid[1]->kid[0], node);
        return;
    }
    if (ks_node_is(node, KS_N_UNARY, "&")) // where it lies is asked, not what it is
        return;
    if (ks_node_is(node, KS_N_ASSIGN, "=") && is_array(f, node->kid[0])) { // the target is no read
        expression(f, node->kid[0]->kid[1]);
        expression(f, node->kid[1]);
        return;
    }
    if (is_array(f, node)) {
        add(f, node, node);
        return;
    }
    for (size_t i = 0; i < node->n; i++)
        expression(f, node->kid[i]);
}

static void statement(struct finder *f, const struct ks_node *node);

static void declaration(struct finder *f, const struct ks_node *node, bool loop)
{
    for (size_t i = 0; i < node->n; i++)
        if (node->kid[i]->init)
            expression(f, node->kid[i]->init);
    ks_affine_declare(&f->env, node, loop);
}

// The loop round a map's items: its variable is the index.
static bool is_items(const struct finder *f, const struct ks_node *loop)
{
    const struct ks_node *init = loop->kid[0];
    return f->s->map.stride && loop == f->s->body.block->kid[f->s->body.block->n - 1] && init->kind == KS_N_DECL;
}

// A number that the text says, or an argument of the template.
static bool number_of(const struct finder *f, const struct ks_node *e, int64_t *number)
{
    struct ks_poly p = ks_affine_eval(&f->env, e);
    *number = 0;
    for (int i = 0; i < p.n; i++) {
        int64_t product = p.term[i].coef, value;
        for (int k = 0; k < p.term[i].n; k++) {
            const char *name = p.term[i].symbol[k];
            const char *constant = ks_affine_find(&f->env, name) ? NULL : ks_subject_constant((void *)(uintptr_t)f->s, name);
            if (constant == NULL || !ks_parse_i64(constant, &value) || !ks_mul_i64(product, value, &product))
                return false;
        }
        if (!ks_add_i64(*number, product, number))
            return false;
    }
    return p.known;
}

// Whether something else of that name is in sight, which polynomials would not tell apart.
static bool is_named(const struct finder *f, const struct ks_affine *env, const char *name)
{
    bool named = ks_affine_find(env, name) != NULL || ks_subject_constant((void *)(uintptr_t)f->s, name) != NULL;
    for (size_t i = 0; i < f->s->decl->n_params; i++)
        named |= strcmp(f->s->decl->params[i].name, name) == 0;
    return named;
}

// Takes up a loop that was entered, where the text tells from where to where its variable goes.
static void take_range(struct finder *f, const struct ks_node *loop)
{
    struct ks_affine outside = f->env;
    struct ks_loop l;
    int64_t from, to, by = 1;
    struct ks_type type = ks_type_parse(f->s->arena, ks_slice_of(loop->kid[0]->text));
    outside.len -= loop->kid[0]->n;
    outside.cap = outside.len;
    ks_loop_read(f->s->arena, f->s->decl, &f->s->body, &outside, (struct ks_node *)(uintptr_t)loop, &l);
    bool whole = type.elem.lanes == 1 && type.elem.size >= 4 && !type.pointer && !ks_scalar_is_float(type.elem.scalar);
    if (!whole || l.var == NULL || is_named(f, &outside, l.var) || !l.declared || l.down || l.limit == NULL || f->n_loops == KS_HALO_LOOPS ||
        ks_node_changes(loop->kid[3], l.var) || !number_of(f, l.start, &from) || !number_of(f, l.limit, &to) ||
        (l.width != NULL && !number_of(f, l.width, &by)))
        return;
    to -= l.compare[1] != '=';
    if (by <= 0 || from > to || from < -KS_HALO_TURNS || to > KS_HALO_TURNS)
        return;
    f->loops[f->n_loops++] = (struct range){loop->kid[0]->kid[0], from, to};
    f->env.at[f->env.len - 1].value = ks_poly_symbol(l.var);
}

static void statement(struct finder *f, const struct ks_node *node)
{
    const struct ks_map_axis *axis = &f->s->map.axis[0];
    bool alone = axis->block && strcmp(axis->block, "1") == 0;
    size_t outside = f->env.len;
    int loops = f->n_loops;
    bool scope = node->kind == KS_N_BLOCK || ks_node_is_loop(node) || node->kind == KS_N_IF;
    for (size_t i = 0; i < node->n; i++) {
        bool header = node->kind == KS_N_FOR && i == 0 && node->kid[0]->kind == KS_N_DECL;
        if (node->kid[i]->kind == KS_N_DECL)
            declaration(f, node->kid[i], header);
        else if (node->kid[i]->kind >= KS_N_BLOCK)
            statement(f, node->kid[i]);
        else
            expression(f, node->kid[i]);
        if (header && is_items(f, node))
            f->env.at[f->env.len - 1].value = ks_poly_symbol(alone ? "blockIdx.x" : "threadIdx.x");
        else if (header)
            take_range(f, node);
    }
    if (scope) {
        f->env.len = outside;
        f->n_loops = loops;
    }
}

enum ks_status ks_halo_find(const struct ks_subject *s, struct ks_halo *halo, struct ks_err *err)
{
    struct finder f = {.s = s, .halo = halo};
    int staged = 0;
    *halo = (struct ks_halo){0};
    ks_affine_begin(s->arena, s->body.block, &f.env);
    statement(&f, s->body.block);
    for (size_t i = 0; i < halo->n_patches; i++) {
        struct ks_halo_patch *p = &halo->patches[i];
        for (int a = 0; a < 3; a++)
            p->staged |= p->low[a] < p->high[a];
        if (!p->staged)
            refuse(&f, p->first, "an item reads none of its neighbours");
        staged += p->staged;
    }
    if (staged == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                f.why ? f.why : ks_arena_printf(s->arena, "line %d: no array is read by element", s->decl->line));
    return KS_OK;
}

const char *ks_halo_count(const struct ks_subject *s, size_t param)
{
    const char *bytes = ks_subject_launch_bytes(s, param);
    return bytes ? ks_arena_printf(s->arena, "%s / %zu", bytes, s->brief->signature->params[param].elem.size) : NULL;
}
