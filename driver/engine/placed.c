#include "engine/placed.h"

#include <string.h>

static struct ks_type type_of(const struct ks_subject *s, const struct ks_loop *l, const char *name)
{
    const struct ks_node *decl = ks_loop_declaration(l->node, name, SIZE_MAX);
    if (!decl)
        decl = ks_loop_declaration(s->body.block, name, l->node->begin);
    return ks_type_parse(s->arena, ks_slice_of(decl ? decl->text : ""));
}

// Whether a type holds all that a loop's variable counts, in order.
static bool counts_all(struct ks_type type, struct ks_type var)
{
    const struct ks_elem *t = &type.elem, *v = &var.elem;
    bool wider = t->size > v->size || (t->size == v->size && ks_scalar_is_signed(v->scalar));
    return t->lanes == 1 && v->size > 0 && t->size > 0 && !ks_scalar_is_float(t->scalar) &&
           (t->scalar == v->scalar || (ks_scalar_is_signed(t->scalar) && wider));
}

// The type of a variable, an element, a number, or what is reckoned of such that are all of one type; KS_T_NONE: not
// known.
static enum ks_scalar scalar_of(const struct ks_subject *s, const struct ks_affine *env, const struct ks_loop *l,
                                const struct ks_node *e)
{
    struct ks_type type = {0};
    size_t n = strlen(e->text ? e->text : "");
    if (e->kind == KS_N_NUMBER && n > 1 && e->text[n - 1] == 'f' && !ks_starts_with(e->text, "0x"))
        return KS_T_F32;
    if (e->kind == KS_N_BINARY && n == 1 && strchr("+-*", *e->text)) {
        enum ks_scalar a = scalar_of(s, env, l, e->kid[0]), b = scalar_of(s, env, l, e->kid[1]);
        return a == b && ks_scalar_size(a) >= 4 ? a : KS_T_NONE; // narrower ones are reckoned as int
    }
    if (e->kind == KS_N_NAME)
        type = type_of(s, l, e->text);
    struct ks_place of = {0};
    if (e->kind == KS_N_INDEX)
        of = ks_place_of(env, s->decl, e);
    if (of.base == KS_PLACE_PARAM)
        type.elem = s->brief->signature->params[of.param].elem;
    return type.pointer || type.elem.lanes != 1 ? KS_T_NONE : type.elem.scalar;
}

const char *ks_placed_why_not(const struct ks_subject *s, const struct ks_affine *env, const struct ks_loop *l,
                              const struct ks_reduction *r)
{
    struct ks_type kept = type_of(s, l, r->name), var = type_of(s, l, l->var), place = type_of(s, l, r->place);
    enum ks_scalar value = scalar_of(s, env, l, r->value);
    if (value == KS_T_NONE || value != kept.elem.scalar)
        return ks_arena_printf(s->arena, "%s is not known to be of the type of what it is compared with", r->name);
    bool all = counts_all(place, var);
    for (const struct ks_node *e = r->where; e->kind == KS_N_CAST; e = e->kid[0])
        all = all && counts_all(ks_type_parse(s->arena, ks_slice_of(e->text)), var);
    return all ? NULL : ks_arena_printf(s->arena, "%s does not hold all that the loop counts", r->place);
}

const char *ks_placed_meet(struct ks_arena *arena, const struct ks_reduction *r)
{
    return ks_arena_printf(arena,
                           "if (opt_other %s %s || (opt_other == %s && opt_place < %s)) { %s = opt_other; "
                           "%s = opt_place; }", r->pick, r->name, r->name, r->place, r->name, r->place);
}
