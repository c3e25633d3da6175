#include "engine/access.h"

#include <string.h>

#include "base/vec.h"

struct walker {
    struct ks_arena *arena;
    const struct ks_kernel_decl *decl;
    struct ks_affine *env;
    struct ks_access_list *out;
    int conditional, loop, order;
    bool left; // an early return or break may have left the walked statement
};

static int param_of(const struct walker *w, const struct ks_node *node)
{
    if (node->kind != KS_N_NAME || ks_affine_find(w->env, node->text))
        return -1;
    for (size_t i = 0; i < w->decl->n_params; i++)
        if (strcmp(w->decl->params[i].name, node->text) == 0)
            return w->decl->params[i].type.pointer ? (int)i : -1;
    return -1;
}

enum { READS = 1, WRITES = 2, ATOMIC = 4 };

static void expression(struct walker *w, const struct ks_node *node, int how);
static void statement(struct walker *w, struct ks_node *node);

static void subscript(struct walker *w, const struct ks_node *node, int how)
{
    expression(w, node->kid[1], READS);
    int param = param_of(w, node->kid[0]);
    if (param < 0) {
        expression(w, node->kid[0], how);
        return;
    }
    if (w->decl->params[param]
            .type.pointee_const) // a function that is not seen cannot change it either
        how = how & ~WRITES;
    struct ks_access *a = ks_vec_push(w->arena, w->out);
    *a = (struct ks_access){
        .node = node,
        .param = (size_t)param,
        .index = ks_affine_eval(w->env, node->kid[1]),
        .reads = how & (READS | ATOMIC),
        .writes = how & (WRITES | ATOMIC),
        .atomic = how & ATOMIC,
        .conditional = w->conditional > 0 || w->left,
        .in_loop = w->loop > 0,
        .order = w->order++,
    };
    struct ks_param_use *use = &w->out->use[param];
    use->read |= a->reads;
    use->written |= a->writes;
    use->atomic |= a->atomic;
}

static void keep_first(const struct ks_node **first, bool is, const struct ks_node *node)
{
    if (is && !*first)
        *first = node;
}

static void add(struct ks_access_list *out, const struct ks_doing *does, const struct ks_node *node)
{
    out->special += does->special;
    out->barriers += does->barriers;
    out->warp_ops += does->warp_ops;
    out->shared_arrays += does->shared;
    out->uses_double |= does->doubles;
    keep_first(&out->first_barrier, does->barriers > 0, node);
    keep_first(&out->first_warp, does->warp_ops > 0, node);
    keep_first(&out->first_fence, does->fences, node);
    keep_first(&out->shared_call, does->shared > 0, node);
    keep_first(&out->number_call, does->numbers, node);
    keep_first(&out->unseen_call, does->unseen != NULL, node);
    keep_first(&out->elsewhere_call, does->elsewhere, node);
}

// The parameter behind `p`, `p + i` or `i + p`, or -1.
static int moved_param(const struct walker *w, const struct ks_node *arg)
{
    while (arg->kind == KS_N_BINARY && strlen(arg->text) == 1 && strchr("+-", arg->text[0]))
        arg = param_of(w, arg->kid[1]) >= 0 ? arg->kid[1] : arg->kid[0];
    return param_of(w, arg);
}

static void call(struct walker *w, const struct ks_node *node)
{
    const struct ks_node *callee = node->kid[0];
    const char *name = callee->kind == KS_N_NAME ? callee->text : "";
    if (callee->kind != KS_N_NAME)
        expression(w, callee, READS);
    if (node->does)
        add(w->out, node->does, node);
    for (size_t i = 1; i < node->n; i++) {
        const struct ks_node *arg = node->kid[i];
        bool atomic = node->does && i <= 32 && node->does->atomics >> (i - 1) & 1;
        bool address = ks_node_is(arg, KS_N_UNARY, "&");
        if (address && arg->kid[0]->kind == KS_N_INDEX &&
            (atomic || (i == 1 && strcmp(name, "__ldg") == 0))) {
            expression(w, arg->kid[0], atomic ? ATOMIC : READS);
        } else if (atomic && param_of(w, arg) >= 0) { // atomicAdd(out, x)
            struct ks_param_use *use = &w->out->use[param_of(w, arg)];
            use->read = use->written = use->atomic = true;
        } else {
            if (atomic && moved_param(w, arg) >= 0)
                w->out->use[moved_param(w, arg)].atomic = true;
            expression(w, arg, ks_node_changed_by(node, i) ? READS | WRITES : READS);
        }
    }
}

static void expression(struct walker *w, const struct ks_node *node, int how)
{
    switch (node->kind) {
    case KS_N_INDEX:
        subscript(w, node, how);
        return;
    case KS_N_CALL:
        call(w, node);
        return;
    case KS_N_ASSIGN: {
        bool plain = strcmp(node->text, "=") == 0;
        expression(w, node->kid[1], READS);
        expression(w, node->kid[0], plain ? WRITES : READS | WRITES);
        return;
    }
    case KS_N_POSTFIX:
        expression(w, node->kid[0], READS | WRITES);
        return;
    case KS_N_MEMBER: // v[i].x reads or writes a part of the element
        if (node->kid[0]->kind == KS_N_NAME && !node->arrow) {
            expression(w, node->kid[0], how);
            return;
        }
        expression(w, node->kid[0], how & WRITES ? READS | WRITES : READS);
        return;
    case KS_N_COND:
        expression(w, node->kid[0], READS);
        w->conditional++;
        expression(w, node->kid[1], how);
        expression(w, node->kid[2], how);
        w->conditional--;
        return;
    case KS_N_BINARY: {
        bool lazy = strcmp(node->text, "&&") == 0 || strcmp(node->text, "||") == 0;
        expression(w, node->kid[0], READS);
        w->conditional += lazy;
        expression(w, node->kid[1], READS);
        w->conditional -= lazy;
        return;
    }
    case KS_N_UNARY:
        if (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0)
            expression(w, node->kid[0], READS | WRITES);
        else if (strcmp(node->text, "&") == 0 && node->kid[0]->kind == KS_N_INDEX) {
            int param = param_of(w, node->kid[0]->kid[0]);
            if (param >= 0 && !w->out->use[param].opaque)
                w->out->use[param].opaque = node;
            expression(w, node->kid[0]->kid[1], READS);
        } else if (node->n > 0 && strcmp(node->text, "sizeof") != 0)
            expression(w, node->kid[0], READS);
        return;
    case KS_N_NAME: {
        int param = param_of(w, node);
        if (param >= 0 && !w->out->use[param].opaque)
            w->out->use[param].opaque = node;
        return;
    }
    default:
        for (size_t i = 0; i < node->n; i++)
            expression(w, node->kid[i], READS);
        return;
    }
}

static void declaration(struct walker *w, const struct ks_node *decl, bool loop)
{
    w->out->uses_double |= strstr(decl->text, "double") != NULL;
    w->out->shared_arrays += decl->shared;
    if (decl->shared && decl->is_extern && !w->out->dynamic_shared)
        w->out->dynamic_shared = decl;
    for (size_t i = 0; i < decl->n; i++) {
        for (size_t k = 0; k < decl->kid[i]->n; k++)
            expression(w, decl->kid[i]->kid[k], READS);
        if (decl->kid[i]->init)
            expression(w, decl->kid[i]->init,
                       decl->kid[i]->reference && !strstr(decl->text, "const") ? READS | WRITES : READS);
    }
    ks_affine_declare(w->env, decl, loop);
}

static void loop(struct walker *w, struct ks_node *node)
{
    w->out->loops++;
    bool outer = w->left;
    if (node->kind == KS_N_FOR) {
        if (node->kid[0]->kind == KS_N_DECL)
            declaration(w, node->kid[0], true);
        else
            statement(w, node->kid[0]);
    }
    // A `do` body runs at least once, but its accesses differ from turn to turn all the same.
    w->conditional++;
    w->loop++;
    for (size_t i = node->kind == KS_N_FOR; i < node->n; i++) {
        enum ks_node_kind kind = node->kid[i]->kind;
        if (kind >= KS_N_BLOCK)
            statement(w, node->kid[i]);
        else
            expression(w, node->kid[i], READS);
    }
    w->loop--;
    w->conditional--;
    if (!ks_node_find(node, KS_N_RETURN, NULL))
        w->left = outer;
}

static void statement(struct walker *w, struct ks_node *node)
{
    switch (node->kind) {
    case KS_N_BLOCK:
        for (size_t i = 0; i < node->n; i++)
            statement(w, node->kid[i]);
        return;
    case KS_N_DECL:
        declaration(w, node, false);
        return;
    case KS_N_EXPR:
        expression(w, node->kid[0], READS);
        return;
    case KS_N_IF:
        w->out->branches++;
        expression(w, node->kid[0], READS);
        w->conditional++;
        for (size_t i = 1; i < node->n; i++)
            statement(w, node->kid[i]);
        w->conditional--;
        return;
    case KS_N_FOR:
    case KS_N_WHILE:
    case KS_N_DO:
        loop(w, node);
        return;
    case KS_N_RETURN:
    case KS_N_BREAK:
    case KS_N_CONTINUE:
        w->left = true;
        return;
    default:
        return;
    }
}

void ks_accesses_find(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                      struct ks_affine *env, struct ks_node *root, struct ks_access_list *out)
{
    *out = (struct ks_access_list){.n_params = decl->n_params};
    out->use = KS_NEW_ARRAY(arena, struct ks_param_use, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        out->uses_double |= strstr(decl->params[i].type.text, "double") != NULL;
    struct walker w = {.arena = arena, .decl = decl, .env = env, .out = out};
    statement(&w, root);
}
