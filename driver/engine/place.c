#include "engine/place.h"

#include <string.h>

static struct ks_place pointer(const struct ks_affine *env, const struct ks_kernel_decl *decl,
                               const struct ks_node *expr, int depth);

struct moves {
    const char *name;
    bool found;
};

static bool visit_moves(void *context, struct ks_node *node)
{
    struct moves *m = context;
    bool writes = node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX ||
                  (node->kind == KS_N_UNARY &&
                   (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0 ||
                    strcmp(node->text, "&") == 0));
    m->found |= writes && node->n > 0 && ks_node_is(node->kid[0], KS_N_NAME, m->name);
    return !m->found;
}

// Whether the pointer itself changes, not what it points to.
static bool moves(const struct ks_affine *env, const char *name)
{
    struct moves m = {name, false};
    ks_node_walk(env->root, visit_moves, &m);
    return m.found;
}

static struct ks_place moved(struct ks_place place, const struct ks_affine *env,
                             const struct ks_node *by, int factor)
{
    struct ks_poly p = ks_affine_eval(env, by);
    place.index = ks_poly_sum(&place.index, &p, factor);
    return place;
}

static struct ks_place named(const struct ks_affine *env, const struct ks_kernel_decl *decl,
                             const char *name, int depth)
{
    struct ks_place place = {.name = name};
    const struct ks_affine_local *local = ks_affine_find(env, name);
    if (local && local->var->pointer) {
        if (!local->var->init || local->var->n > 0 || depth > 8 || moves(env, name))
            return place;
        return pointer(env, decl, local->var->init, depth + 1);
    }
    place.index = ks_poly_constant(0);
    if (local) {
        place.base = local->var->reference ? KS_PLACE_UNKNOWN : KS_PLACE_LOCAL;
        return place;
    }
    for (size_t i = 0; i < decl->n_params; i++)
        if (strcmp(decl->params[i].name, name) == 0) {
            place.base = decl->params[i].type.pointer ? KS_PLACE_PARAM : KS_PLACE_LOCAL;
            place.param = i;
        }
    return place;
}

// Whether a sum's side is the pointer: it leads to a parameter or array.
static bool is_pointer(const struct ks_affine *env, const struct ks_kernel_decl *decl,
                       const struct ks_node *expr)
{
    while (expr->kind == KS_N_BINARY && strlen(expr->text) == 1 && strchr("+-", expr->text[0]))
        expr = is_pointer(env, decl, expr->kid[1]) ? expr->kid[1] : expr->kid[0];
    if (ks_node_is(expr, KS_N_UNARY, "&"))
        return true;
    if (expr->kind != KS_N_NAME)
        return false;
    const struct ks_affine_local *local = ks_affine_find(env, expr->text);
    if (local)
        return local->var->pointer || local->var->n > 0;
    for (size_t i = 0; i < decl->n_params; i++)
        if (strcmp(decl->params[i].name, expr->text) == 0)
            return decl->params[i].type.pointer;
    return false;
}

// A row of a local array, in all that but its last subscripts name: more of them would read a pointer out of it.
static struct ks_place row(const struct ks_affine *env, const struct ks_node *expr)
{
    size_t subscripts = 0;
    for (; expr->kind == KS_N_INDEX; expr = expr->kid[0])
        subscripts++;
    const struct ks_affine_local *local = expr->kind == KS_N_NAME ? ks_affine_find(env, expr->text) : NULL;
    if (!local || local->var->pointer || local->var->reference || local->var->n <= subscripts)
        return (struct ks_place){.base = KS_PLACE_UNKNOWN};
    return (struct ks_place){.base = KS_PLACE_LOCAL, .name = expr->text};
}

static struct ks_place pointer(const struct ks_affine *env, const struct ks_kernel_decl *decl,
                               const struct ks_node *expr, int depth)
{
    struct ks_place none = {.base = KS_PLACE_UNKNOWN};
    if (depth > 8)
        return none;
    switch (expr->kind) {
    case KS_N_INDEX:
        return row(env, expr);
    case KS_N_NAME:
        return named(env, decl, expr->text, depth);
    case KS_N_UNARY:
        if (strcmp(expr->text, "&") == 0)
            return ks_place_of(env, decl, expr->kid[0]);
        return none;
    case KS_N_BINARY:
        if (strcmp(expr->text, "+") == 0 && is_pointer(env, decl, expr->kid[1]))
            return moved(pointer(env, decl, expr->kid[1], depth + 1), env, expr->kid[0], 1);
        if (strcmp(expr->text, "+") == 0 || strcmp(expr->text, "-") == 0)
            return moved(pointer(env, decl, expr->kid[0], depth + 1), env, expr->kid[1],
                         expr->text[0] == '+' ? 1 : -1);
        return none;
    default:
        return none;
    }
}

struct ks_place ks_place_of(const struct ks_affine *env, const struct ks_kernel_decl *decl,
                            const struct ks_node *lvalue)
{
    struct ks_place none = {.base = KS_PLACE_UNKNOWN};
    switch (lvalue->kind) {
    case KS_N_NAME:
        return named(env, decl, lvalue->text, 0);
    case KS_N_INDEX:
        return moved(pointer(env, decl, lvalue->kid[0], 0), env, lvalue->kid[1], 1);
    case KS_N_MEMBER:
        return lvalue->arrow ? pointer(env, decl, lvalue->kid[0], 0)
                             : ks_place_of(env, decl, lvalue->kid[0]);
    case KS_N_UNARY:
        return strcmp(lvalue->text, "*") == 0 ? pointer(env, decl, lvalue->kid[0], 0) : none;
    default:
        return none;
    }
}
