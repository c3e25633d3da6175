// What a loop does to memory, as far as reads in it may learn of that.
#include <string.h>

#include "engine/hoister.h"

int ks_hoist_param(const struct ks_subject *s, const struct ks_node *name)
{
    if (name->kind != KS_N_NAME || ks_node_find(s->body.block, KS_N_VAR, name->text))
        return -1;
    for (size_t i = 0; i < s->decl->n_params; i++)
        if (strcmp(s->decl->params[i].name, name->text) == 0)
            return s->decl->params[i].type.pointer ? (int)i : -1;
    return -1;
}

struct watcher {
    const struct ks_subject *s;
    struct ks_hoist_effects *e;
};

static void first(const struct ks_node **at, const struct ks_node *node)
{
    *at = *at ? *at : node;
}

// A store to an lvalue, or by a function to what its argument leads to.
static void store(struct watcher *w, const struct ks_node *target, const struct ks_node *at)
{
    bool element = false;
    for (; target->kind == KS_N_INDEX || (target->kind == KS_N_MEMBER && !target->arrow) ||
           ks_node_is(target, KS_N_UNARY, "&");
         target = target->kid[0])
        element |= target->kind == KS_N_INDEX;
    const struct ks_node *decl =
        target->kind == KS_N_NAME
            ? ks_loop_declaration(w->s->body.block, target->text, target->begin)
            : NULL;
    int param = ks_hoist_param(w->s, target);
    for (size_t i = 0; decl && i < decl->n; i++)
        if (strcmp(decl->kid[i]->text, target->text) == 0 && !decl->kid[i]->reference &&
            !(decl->kid[i]->pointer && element))
            return; // of the thread's own, or shared: ks_node_changes tells
    bool value = target->kind == KS_N_NAME && !decl && param < 0 && !element;
    for (size_t i = 0; value && i < w->s->decl->n_params; i++)
        if (strcmp(w->s->decl->params[i].name, target->text) == 0)
            return; // a parameter's own value
    first(&w->e->store, at);
    if (param >= 0)
        first(&w->e->written[param], at);
    else
        first(&w->e->unknown, at);
}

static bool is_object(const struct ks_subject *s, const char *name)
{
    bool is = ks_node_find(s->body.block, KS_N_VAR, name) != NULL;
    for (size_t i = 0; !is && i < s->decl->n_params; i++)
        is = strcmp(s->decl->params[i].name, name) == 0;
    return is;
}

// Whether a function that is given this may come by a pointer that is no argument of its own: in an
// object.
static bool may_hold_pointer(const struct watcher *w, const struct ks_node *arg)
{
    const struct ks_node *root = arg;
    while (ks_node_is(root, KS_N_UNARY, "&") || root->kind == KS_N_INDEX ||
           ks_node_is(root, KS_N_BINARY, "+"))
        root = root->kid[0];
    return ks_hoist_param(w->s, root) < 0 && ks_hoist_type(w->s, arg, arg->begin) == KS_T_NONE;
}

static void call(struct watcher *w, const struct ks_node *node)
{
    const struct ks_doing *does = node->does;
    const bool method = node->kid[0]->kind == KS_N_MEMBER;
    const char *name = node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    bool atomic = ks_starts_with(name, "atomic");
    if (atomic || (does && (does->barriers || does->warp_ops || does->fences || does->shared ||
                            does->elsewhere || does->atomics)))
        first(&w->e->meets, node);
    if (atomic && node->n > 1)
        store(w, node->kid[1], node);
    if (atomic || ks_hoist_is_math(name) || strcmp(name, "__ldg") == 0)
        return;
    for (size_t i = 2; ks_starts_with(name, "sincos") && i < node->n; i++)
        store(w, node->kid[i], node);
    bool cuda = does && ks_callee_does(NULL, method ? node->kid[0]->text : name, method) == does;
    if (cuda && (does->barriers || does->warp_ops || does->fences || does->special))
        return; // what it does is told
    bool known = *name && !cuda && does && !does->unseen && !is_object(w->s, name);
    for (size_t i = 1; known && i < node->n; i++)
        known = !may_hold_pointer(w, node->kid[i]);
    if (!known) {
        first(&w->e->unknown, node);
        first(&w->e->meets, node);
        return;
    }
    for (size_t i = 1; i < node->n; i++)
        if ((node->changes | does->atomics) >> (i < 32 ? i - 1 : 31) & 1)
            store(w, node->kid[i], node);
}

static bool watch(void *context, struct ks_node *node)
{
    struct watcher *w = context;
    bool steps = (node->kind == KS_N_UNARY || node->kind == KS_N_POSTFIX) &&
                 (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0);
    if (node->kind == KS_N_ASSIGN || steps)
        store(w, node->kid[0], node);
    if (node->kind == KS_N_CALL)
        call(w, node);
    int param = ks_hoist_param(w->s, node);
    if ((node->kind == KS_N_CAST && strstr(node->text, "volatile")) ||
        (param >= 0 && strstr(w->s->decl->params[param].type.text, "volatile")))
        first(&w->e->meets, node); // a flag that is waited for
    return true;
}

struct ks_hoist_effects ks_hoist_effects(const struct ks_subject *s, struct ks_node *node)
{
    struct ks_hoist_effects e = {
        .written = KS_NEW_ARRAY(s->arena, const struct ks_node *, s->decl->n_params + 1)};
    struct watcher w = {s, &e};
    ks_node_walk(node, watch, &w);
    return e;
}
