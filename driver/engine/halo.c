#include "engine/halo.h"

#include <string.h>

#include "base/vec.h"
#include "engine/loop.h"

struct finder {
    const struct ks_subject *s;
    struct ks_affine env; // declarations in sight
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

// An index as strides of the axes' indexes and the rest; NULL, or why it is no such sum.
static const char *take_apart(const struct finder *f, const struct ks_poly *p, struct ks_halo_patch *patch)
{
    if (!p->known)
        return "its index is no sum of products";
    patch->origin = ks_poly_constant(0);
    for (int a = 0; a < 3; a++)
        patch->stride[a] = ks_poly_constant(0);
    for (int i = 0; i < p->n; i++) {
        struct ks_term rest = {.coef = p->term[i].coef};
        int axis = -1;
        bool share = false; // a block's, of an index that the thread's number stands for
        for (int k = 0; k < p->term[i].n; k++) {
            const char *name = p->term[i].symbol[k];
            int number = axis_of(f, name);
            share |= number < 0 && ks_starts_with(name, "blockIdx.");
            if (number >= 0 && axis >= 0)
                return "its index is a product of the item's numbers";
            if (number >= 0)
                axis = number;
            else
                rest.symbol[rest.n++] = name;
        }
        if (share)
            continue;
        for (int k = 0; k < rest.n; k++)
            if (!is_constant(f, rest.symbol[k]))
                return "its index depends on more than the item's numbers and the launch";
        struct ks_poly one = {.known = true, .n = 1, .term = {rest}};
        struct ks_poly *to = axis < 0 ? &patch->origin : &patch->stride[axis];
        *to = ks_poly_sum(to, &one, 1);
        if (!to->known)
            return "its index is no sum of products";
    }
    struct ks_poly unit = ks_poly_constant(1);
    return ks_poly_equal(&patch->stride[0], &unit) ? NULL : "neighbours in x do not read neighbours";
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
                                                                       : take_apart(f, &index, &own);
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
        patch->low[a] = one.off[a] < patch->low[a] ? one.off[a] : patch->low[a];
        patch->high[a] = one.off[a] > patch->high[a] ? one.off[a] : patch->high[a];
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

static void statement(struct finder *f, const struct ks_node *node)
{
    const struct ks_map_axis *axis = &f->s->map.axis[0];
    size_t outside = f->env.len;
    bool scope = node->kind == KS_N_BLOCK || ks_node_is_loop(node) || node->kind == KS_N_IF;
    for (size_t i = 0; i < node->n; i++) {
        if (node->kid[i]->kind == KS_N_DECL)
            declaration(f, node->kid[i], node->kind == KS_N_FOR && i == 0);
        else if (node->kid[i]->kind >= KS_N_BLOCK)
            statement(f, node->kid[i]);
        else
            expression(f, node->kid[i]);
        if (i == 0 && node->kind == KS_N_FOR && is_items(f, node))
            f->env.at[f->env.len - 1].value = ks_poly_symbol(axis->block && strcmp(axis->block, "1") == 0 ? "blockIdx.x" : "threadIdx.x");
    }
    if (scope)
        f->env.len = outside;
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
    const char *bytes = ks_subject_bytes(s, param);
    return bytes ? ks_arena_printf(s->arena, "%s / %zu", bytes, s->brief->signature->params[param].elem.size) : NULL;
}
