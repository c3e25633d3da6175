#include "engine/tile.h"

#include <string.h>

#include "base/vec.h"

struct finder {
    const struct ks_subject *s;
    const struct ks_loop *loop;
    struct ks_affine env;
    struct ks_tile_list *out;
    const char **why;
};

static void refuse(struct finder *f, const struct ks_node *read, const char *why)
{
    if (!*f->why)
        *f->why = ks_arena_printf(f->s->arena, "line %d: %.60s is not staged: %s", read->line,
                                  ks_node_text(f->s->arena, &f->s->body, read), why);
}

static bool is_constant(const struct finder *f, const char *name)
{
    const struct ks_affine_local *local = ks_affine_find(&f->env, name);
    if (local && local->loop && local->value.n == 1 && strcmp(local->value.term[0].symbol[0], name) == 0)
        return true; // a loop round this one
    if (ks_subject_constant((void *)f->s, name))
        return true;
    for (size_t i = 0; i < f->s->decl->n_params; i++) {
        const struct ks_type *type = &f->s->decl->params[i].type;
        if (strcmp(f->s->decl->params[i].name, name) == 0)
            return !type->pointer && !ks_scalar_is_float(type->elem.scalar) &&
                   !ks_affine_find(&f->env, name);
    }
    return false;
}

// Whether it stands for an axis' global index: the thread's number, or the block's where blocks are
// one thread wide.
static bool is_number(const struct finder *f, const char *name)
{
    const struct ks_map_axis *axis = &f->s->map.axis[(name[strlen(name) - 1] - 'x') % 3];
    bool alone = axis->used && axis->block && strcmp(axis->block, "1") == 0;
    return ks_starts_with(name, "threadIdx.") || (alone && ks_starts_with(name, "blockIdx."));
}

// One term as C text; "" for a block's share of a global index, NULL when it is none of ours.
static const char *term_text(const struct finder *f, const struct ks_term *t, struct ks_tile *tile,
                             bool *turn)
{
    struct ks_arena *arena = f->s->arena;
    const char *text =
        t->coef == 1 && t->n > 0 ? "" : ks_arena_printf(arena, "%lld", (long long)t->coef);
    int threads = 0, turns = 0;
    for (int i = 0; i < t->n; i++)
        if (ks_starts_with(t->symbol[i], "blockIdx.") && !is_number(f, t->symbol[i]))
            return "";
    for (int i = 0; i < t->n; i++) {
        const char *name = t->symbol[i];
        if (is_number(f, name)) {
            int axis = name[strlen(name) - 1] - 'x';
            if (axis > 1 || (tile->axis != KS_TILE_TURNS && tile->axis != axis))
                return NULL;
            tile->axis = axis;
            name = "opt_at";
            threads++;
        } else if (strcmp(name, f->loop->var) == 0) {
            name = "opt_turn";
            turns++;
            tile->along = t->coef == 1 && t->n == 1;
        } else if (!is_constant(f, name)) {
            return NULL;
        }
        text = ks_arena_printf(arena, "%s%s%s", text, *text ? " * " : "", name);
    }
    *turn |= turns > 0;
    return threads + turns < 2 ? text : NULL;
}

// The tile's index and axis, or why there is none.
static const char *index_text(const struct finder *f, struct ks_tile *tile)
{
    const struct ks_poly *p = &tile->poly;
    const char *sum = "";
    bool turn = false;
    tile->axis = KS_TILE_TURNS;
    if (!p->known)
        return "its index is no sum of products";
    for (int i = 0; i < p->n; i++) {
        const char *one = term_text(f, &p->term[i], tile, &turn);
        if (!one)
            return ks_poly_mentions(p, "threadIdx.x") && ks_poly_mentions(p, "threadIdx.y")
                       ? "its index depends on both axes of the item"
                       : "its index depends on more than the turn and one axis of the item";
        if (*one)
            sum = ks_arena_printf(f->s->arena, "%s%s%s", sum,
                                  *sum      ? " + "
                                  : p->wide ? "0ll + "
                                            : "",
                                  one);
    }
    tile->index = sum;
    return turn ? NULL : "it does not depend on the turn";
}

static void add(struct finder *f, const struct ks_node *node)
{
    struct ks_place place = ks_place_of(&f->env, f->s->decl, node);
    struct ks_tile tile = {.node = node, .param = place.param, .poly = place.index, .same = -1};
    if (place.base == KS_PLACE_UNKNOWN)
        refuse(f, node, "where it goes is not known");
    if (place.base != KS_PLACE_PARAM)
        return;
    const struct ks_param_use *use = &f->s->access.use[place.param];
    bool fixed = f->s->decl->params[place.param].type.pointee_const;
    tile.type = ks_subject_value(f->s, place.param);
    tile.bytes = (int)f->s->brief->signature->params[place.param].elem.size;
    const char *why = !tile.type                                   ? "the type of its elements is not known"
                      : !fixed && (use->written || use->opaque) ? "the array may be written"
                                                                   : index_text(f, &tile);
    if (why) {
        refuse(f, node, why);
        return;
    }
    for (size_t i = 0; i < f->out->len && tile.same < 0; i++)
        if (f->out->at[i].param == tile.param && ks_poly_equal(&f->out->at[i].poly, &tile.poly))
            tile.same = (int)i;
    *ks_vec_push(f->s->arena, f->out) = tile;
}

// Elements that are read where not every turn does.
static void look_below(struct finder *f, const struct ks_node *node)
{
    const struct ks_node *target = node->kind == KS_N_ASSIGN && strcmp(node->text, "=") == 0 ? node->kid[0] : NULL;
    const char *base = node->kind == KS_N_INDEX && node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : NULL;
    for (size_t i = 0; base && i < f->s->decl->n_params; i++)
        if (strcmp(f->s->decl->params[i].name, base) == 0)
            refuse(f, node, "it is read under a condition, not in every turn");
    for (size_t i = 0; i < node->n; i++)
        if (node->kid[i] != target)
            look_below(f, node->kid[i]);
    if (node->init)
        look_below(f, node->init);
}

// Reads that every turn does.
static void expression(struct finder *f, const struct ks_node *node)
{
    bool lazy = node->kind == KS_N_COND || ks_node_is(node, KS_N_BINARY, "&&") ||
                ks_node_is(node, KS_N_BINARY, "||");
    if (node->kind == KS_N_INDEX) {
        size_t before = f->out->len;
        add(f, node);
        if (f->out->len > before)
            return;
        expression(f, node->kid[1]);
        return;
    }
    if (ks_node_is(node, KS_N_UNARY, "&"))
        return;
    if (node->kind == KS_N_ASSIGN) { // the target is no read, its subscript is
        if (node->kid[0]->kind == KS_N_INDEX)
            expression(f, node->kid[0]->kid[1]);
        expression(f, node->kid[1]);
        return;
    }
    if (node->kind == KS_N_POSTFIX || node->kind == KS_N_CAST ||
        (node->kind == KS_N_UNARY && strlen(node->text) == 2)) {
        if (node->kind == KS_N_CAST && node->n)
            expression(f, node->kid[0]);
        return;
    }
    for (size_t i = 0; i < node->n; i++)
        if (lazy && i > 0)
            look_below(f, node->kid[i]);
        else
            expression(f, node->kid[i]);
}

static void statement(struct finder *f, const struct ks_node *node)
{
    switch (node->kind) {
    case KS_N_BLOCK:
        for (size_t i = 0; i < node->n; i++)
            statement(f, node->kid[i]);
        return;
    case KS_N_DECL:
        for (size_t i = 0; i < node->n; i++)
            if (node->kid[i]->init && !node->kid[i]->reference)
                expression(f, node->kid[i]->init);
        ks_affine_declare(&f->env, node, false);
        return;
    case KS_N_EXPR:
        expression(f, node->kid[0]);
        return;
    case KS_N_IF:
        expression(f, node->kid[0]);
        for (size_t i = 1; i < node->n; i++)
            look_below(f, node->kid[i]);
        return;
    default: // a loop inside of it may be staged itself
        return;
    }
}

void ks_tiles_find(const struct ks_subject *s, const struct ks_affine *env,
                   const struct ks_loop *loop, struct ks_tile_list *tiles, const char **why)
{
    struct finder f = {.s = s, .loop = loop, .env = *env, .out = tiles, .why = why};
    f.env.cap = f.env.len;
    ks_loop_enter(&f.env, loop->node);
    *tiles = (struct ks_tile_list){0};
    statement(&f, loop->body);
}
