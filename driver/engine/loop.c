#include "engine/loop.h"

#include <string.h>

#include "base/vec.h"
#include "engine/loop_reader.h"

bool ks_node_is_loop(const struct ks_node *node)
{
    return node->kind == KS_N_FOR || node->kind == KS_N_WHILE || node->kind == KS_N_DO;
}

static void refuse(struct ks_loop_reader *r, const struct ks_node *at, const char *why)
{
    if (!r->loop->why)
        r->loop->why = ks_arena_printf(r->arena, "line %d: %s", at->line, why);
}

static struct ks_affine_local *last(struct ks_affine *env, const char *name)
{
    for (size_t i = env->len; i > 0; i--)
        if (strcmp(env->at[i - 1].name, name) == 0)
            return &env->at[i - 1];
    return NULL;
}

void ks_loop_declare(struct ks_affine *env, const struct ks_node *decl)
{
    ks_affine_declare(env, decl, false);
    struct ks_type type = ks_type_parse(env->arena, ks_slice_of(decl->text));
    bool integer = type.elem.lanes == 1 && type.elem.size && !ks_scalar_is_float(type.elem.scalar);
    for (size_t i = 0; integer && i < decl->n; i++) {
        struct ks_affine_local *local = last(env, decl->kid[i]->text);
        if (!local->changes && !local->value.known && local->var->init && local->var->n == 0 &&
            !local->var->pointer)
            local->value = ks_poly_symbol(local->name);
    }
}

void ks_loop_enter(struct ks_affine *env, const struct ks_node *loop)
{
    if (loop->kind != KS_N_FOR || loop->kid[0]->kind != KS_N_DECL)
        return;
    ks_affine_declare(env, loop->kid[0], true);
    for (size_t i = 0; i < loop->kid[0]->n; i++) {
        struct ks_affine_local *local = last(env, loop->kid[0]->kid[i]->text);
        local->value = ks_poly_symbol(local->name);
    }
}

struct find_declaration {
    const char *name;
    size_t before;
    const struct ks_node *found;
};

static bool visit_declaration(void *context, struct ks_node *node)
{
    struct find_declaration *f = context;
    if (node->kind >= KS_N_BLOCK && node->kind != KS_N_DECL && f->before != SIZE_MAX &&
        (node->begin > f->before || node->end <= f->before))
        return false; // a scope that was left
    if (node->kind == KS_N_DECL && node->begin < f->before)
        for (size_t i = 0; i < node->n; i++)
            if (strcmp(node->kid[i]->text, f->name) == 0)
                f->found = node;
    return true;
}

const struct ks_node *ks_loop_declaration(struct ks_node *root, const char *name, size_t before)
{
    struct find_declaration f = {name, before, NULL};
    ks_node_walk(root, visit_declaration, &f);
    return f.found;
}

// Whether the name is declared inside the loop; one that is declared on both sides is taken for
// outer.
static bool is_inner(const struct ks_loop_reader *r, const char *name)
{
    struct ks_node *root = r->body->block;
    return ks_loop_declaration(r->loop->node, name, SIZE_MAX) &&
           !ks_loop_declaration(root, name, r->loop->node->begin);
}

// The stride of a place along the loop's variable.
static int64_t stride_of(const struct ks_loop_reader *r, const struct ks_poly *p)
{
    int64_t stride = 0;
    if (!p->known)
        return -1;
    for (int i = 0; i < p->n; i++)
        for (int s = 0; s < p->term[i].n; s++)
            if (strcmp(p->term[i].symbol[s], r->loop->var) == 0) {
                if (p->term[i].n > 1)
                    return -1;
                stride = p->term[i].coef;
            }
    return stride;
}

static void add_access(struct ks_loop_reader *r, const struct ks_node *node, bool writes)
{
    struct ks_loop *l = r->loop;
    struct ks_place place = ks_place_of(&r->env, r->decl, node);
    if (place.base == KS_PLACE_LOCAL) {
        if (writes && !is_inner(r, place.name))
            refuse(r, node, "an array or structure outside the loop changes in it");
        return;
    }
    if (writes && place.base == KS_PLACE_UNKNOWN)
        refuse(r, node, "a store through a pointer that is not followed");
    ks_vec_grow_(r->arena, (void **)&l->accesses, &l->n_accesses, &l->cap_accesses,
                 sizeof *l->accesses);
    int64_t stride = stride_of(r, &place.index);
    l->accesses[l->n_accesses - 1] = (struct ks_loop_access){node, place, writes, stride};
    l->stores |= writes;
    l->units += stride == 1;
    l->strided += stride != 1 && stride != 0;
}

static bool is_plain(const struct ks_loop_reader *r, const char *name)
{
    const struct ks_node *decl = ks_loop_declaration(r->body->block, name, r->loop->node->begin);
    const struct ks_affine_local *local = ks_affine_find(&r->env, name);
    return decl && local && local->var->n == 0 && !local->var->pointer && !local->var->reference &&
           !decl->shared && !decl->is_static;
}

static void add_reduction(struct ks_loop_reader *r, const struct ks_node *node,
                          const struct ks_reduction *update)
{
    struct ks_loop *l = r->loop;
    for (size_t i = 0; i < l->n_reductions; i++)
        if (strcmp(l->reductions[i].name, update->name) == 0) {
            if (!ks_reduction_same(&l->reductions[i], update))
                refuse(r, node, "a variable is reduced in two ways");
            l->reductions[i].places += update->places;
            return;
        }
    if (!is_plain(r, update->name) || (update->place && !is_plain(r, update->place)))
        refuse(r, node, "what is reduced is no plain variable");
    ks_vec_grow_(r->arena, (void **)&l->reductions, &l->n_reductions, &l->cap_reductions,
                 sizeof *l->reductions);
    l->reductions[l->n_reductions - 1] = *update;
}

static void expression(struct ks_loop_reader *r, const struct ks_node *node);

// `node` changes what `target` names; true when that was a reduction of an outer variable.
static void change(struct ks_loop_reader *r, const struct ks_node *node,
                   const struct ks_node *target)
{
    struct ks_reduction update;
    if (target->kind != KS_N_NAME) {
        add_access(r, target, true);
        return;
    }
    if (node == r->loop->step)
        return;
    if (strcmp(target->text, r->loop->var) == 0)
        refuse(r, node, "the loop's variable changes in its body");
    else if (is_inner(r, target->text))
        return;
    else if (ks_reduction_read(r->arena, r->body, node, &update))
        add_reduction(r, node, &update);
    else
        refuse(r, node, ks_arena_printf(r->arena, "%s goes from turn to turn", target->text));
}

// An argument that a function of the program's own may change.
static void argument(struct ks_loop_reader *r, const struct ks_node *call, size_t i)
{
    const char *name = ks_node_changed_by(call, i);
    if (!name || is_inner(r, name))
        return;
    const struct ks_affine_local *local = ks_affine_find(&r->env, name);
    bool pointer = local ? local->var->pointer || local->var->n > 0 : false;
    for (size_t k = 0; !local && k < r->decl->n_params; k++)
        if (strcmp(r->decl->params[k].name, name) == 0) {
            pointer = r->decl->params[k].type.pointer;
            if (pointer && r->decl->params[k].type.pointee_const)
                return;
        }
    if (local || pointer)
        refuse(r, call, ks_arena_printf(r->arena, "a function may change %s", name));
}

static void call(struct ks_loop_reader *r, const struct ks_node *node)
{
    const char *name = node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    bool atomic = ks_starts_with(name, "atomic"), pure = ks_function_is_pure(name);
    const struct ks_doing *does = node->does;
    if (!*name || (does && (does->barriers || does->warp_ops || does->fences || does->shared || does->elsewhere)))
        refuse(r, node, "threads meet in the loop");
    for (size_t i = 1; i < node->n; i++) {
        const struct ks_node *arg = node->kid[i];
        if (i == 1 && ks_node_is(arg, KS_N_UNARY, "&") && (atomic || strcmp(name, "__ldg") == 0)) {
            struct ks_place place = ks_place_of(&r->env, r->decl, arg->kid[0]);
            r->loop->atomics |= atomic;
            if (atomic && place.base == KS_PLACE_LOCAL)
                refuse(r, arg, "an atomic on shared or own memory");
            if (!atomic)
                add_access(r, arg->kid[0], false);
            if (arg->kid[0]->kind == KS_N_INDEX)
                expression(r, arg->kid[0]->kid[1]);
            continue;
        }
        if (!pure && !atomic)
            argument(r, node, i);
        expression(r, arg);
    }
}

static void expression(struct ks_loop_reader *r, const struct ks_node *node)
{
    bool steps = (node->kind == KS_N_UNARY || node->kind == KS_N_POSTFIX) &&
                 (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0);
    if (node->kind == KS_N_ASSIGN || steps) {
        change(r, node, node->kid[0]);
        if (node->kid[0]->kind == KS_N_INDEX && node->kid[0]->n == 2) {
            expression(r, node->kid[0]->kid[1]);
            if (steps || strcmp(node->text, "=") != 0)
                add_access(r, node->kid[0], false);
        }
        if (node->n > 1)
            expression(r, node->kid[1]);
        return;
    }
    if (node->kind == KS_N_CALL) {
        call(r, node);
        return;
    }
    if (ks_node_is(node, KS_N_UNARY, "&")) {
        refuse(r, node, "an address is taken");
        return;
    }
    if (node->kind == KS_N_INDEX || ks_node_is(node, KS_N_UNARY, "*"))
        add_access(r, node, false);
    if (node->kind == KS_N_INDEX) { // `p` of p[i] is no value of its own
        expression(r, node->kid[1]);
        return;
    }
    for (size_t i = 0; i < node->n; i++)
        expression(r, node->kid[i]);
}

static void statement(struct ks_loop_reader *r, struct ks_node *node);

// What is kept beside the best is the loop's own variable, so that among equal ones the first is that of the least.
static void place(struct ks_loop_reader *r, const struct ks_node *node, const struct ks_reduction *update)
{
    const struct ks_node *where = update->where, *test = node->kid[0];
    while (where->kind == KS_N_CAST && where->n == 1)
        where = where->kid[0];
    if (!ks_node_is(where, KS_N_NAME, r->loop->var))
        refuse(r, node, ks_arena_printf(r->arena, "%s is set to other than the loop's variable", update->place));
    if (r->loop->down)
        refuse(r, node, "the first of equal ones is kept, and the loop counts down");
    add_reduction(r, node, update);
    expression(r, test->kid[ks_node_is(test->kid[0], KS_N_NAME, update->name)]);
}

static void if_statement(struct ks_loop_reader *r, struct ks_node *node)
{
    struct ks_reduction update;
    if (ks_reduction_read(r->arena, r->body, node, &update) && !is_inner(r, update.name)) {
        add_reduction(r, node, &update);
        const struct ks_node *test = node->kid[0];
        expression(r, test->kid[ks_node_is(test->kid[0], KS_N_NAME, update.name)]);
        return;
    }
    if (r->placed && ks_reduction_read_placed(r->arena, r->body, node, &update) && !is_inner(r, update.name) &&
        !is_inner(r, update.place)) {
        place(r, node, &update);
        return;
    }
    expression(r, node->kid[0]);
    for (size_t i = 1; i < node->n; i++)
        statement(r, node->kid[i]);
}

static void declaration(struct ks_loop_reader *r, const struct ks_node *decl)
{
    if (decl->shared || decl->is_static)
        refuse(r, decl, "shared memory is declared in the loop");
    for (size_t i = 0; i < decl->n; i++)
        if (decl->kid[i]->init) {
            if (!(decl->kid[i]->pointer && ks_node_is(decl->kid[i]->init, KS_N_UNARY, "&")))
                expression(r, decl->kid[i]->init);
            else if (decl->kid[i]->init->kid[0]->kind == KS_N_INDEX)
                expression(r, decl->kid[i]->init->kid[0]->kid[1]);
        }
    ks_affine_declare(&r->env, decl, false);
}

static void inner_loop(struct ks_loop_reader *r, struct ks_node *node)
{
    r->depth++;
    if (node->kind == KS_N_FOR) {
        if (node->kid[0]->kind == KS_N_DECL) {
            declaration(r, node->kid[0]);
            ks_loop_enter(&r->env, node);
        } else {
            statement(r, node->kid[0]);
        }
    }
    for (size_t i = node->kind == KS_N_FOR; i < node->n; i++)
        if (node->kid[i]->kind >= KS_N_BLOCK)
            statement(r, node->kid[i]);
        else
            expression(r, node->kid[i]);
    r->depth--;
}

static void statement(struct ks_loop_reader *r, struct ks_node *node)
{
    switch (node->kind) {
    case KS_N_BLOCK:
        for (size_t i = 0; i < node->n; i++)
            statement(r, node->kid[i]);
        return;
    case KS_N_DECL:
        declaration(r, node);
        return;
    case KS_N_EXPR:
        expression(r, node->kid[0]);
        return;
    case KS_N_IF:
        if_statement(r, node);
        return;
    case KS_N_RETURN:
        refuse(r, node, "return leaves the loop");
        return;
    case KS_N_BREAK:
        if (r->depth == 0)
            refuse(r, node, "break leaves the loop");
        return;
    case KS_N_CONTINUE:
        if (r->depth == 0 && r->loop->node->kind != KS_N_FOR)
            refuse(r, node, "continue goes past the step");
        return;
    default:
        if (ks_node_is_loop(node))
            inner_loop(r, node);
        return;
    }
}

// Whether a variable of a loop in the loop takes part.
static bool mentions_inner(const struct ks_loop_reader *r, const struct ks_poly *p)
{
    for (int t = 0; t < p->n; t++)
        for (int s = 0; s < p->term[t].n; s++)
            if (strcmp(p->term[t].symbol[s], r->loop->var) != 0 &&
                is_inner(r, p->term[t].symbol[s]))
                return true;
    return false;
}

// Stores of different turns go to different elements, which no other turn reads.
static void check_stores(struct ks_loop_reader *r)
{
    struct ks_loop *l = r->loop;
    for (size_t i = 0; i < l->n_accesses; i++) {
        const struct ks_loop_access *a = &l->accesses[i];
        if (!a->writes)
            continue;
        int places = 0;
        for (int t = 0; t < a->place.index.n; t++)
            for (int s = 0; s < a->place.index.term[t].n; s++)
                places += strcmp(a->place.index.term[t].symbol[s], l->var) == 0;
        if (!a->place.index.known || places != 1 || mentions_inner(r, &a->place.index))
            refuse(r, a->node, "turns may store to one element");
        for (size_t k = 0; k < l->n_accesses; k++) {
            const struct ks_loop_access *b = &l->accesses[k];
            if (b->place.base == KS_PLACE_UNKNOWN)
                refuse(r, b->node, "a pointer is not followed");
            else if (b->place.param == a->place.param &&
                     !ks_poly_equal(&a->place.index, &b->place.index))
                refuse(r, b->node, "turns may touch what others store");
        }
    }
}

static void read(struct ks_arena *arena, const struct ks_kernel_decl *decl, const struct ks_body *body,
                 const struct ks_affine *env, struct ks_node *node, bool placed, struct ks_loop *loop)
{
    *loop = (struct ks_loop){.node = node, .turns = -1};
    struct ks_loop_reader r = {
        .arena = arena, .decl = decl, .body = body, .env = *env, .placed = placed, .loop = loop};
    r.env.cap = r.env.len; // what is entered here must not show in the caller's
    if (node->kind == KS_N_DO || !ks_loop_header(&r)) {
        refuse(&r, node, "the loop does not count from a start to a limit");
        return;
    }
    loop->turns = ks_loop_turns(&r);
    if (ks_loop_changes(&r, loop->limit) ||
        (loop->step->n > 1 && loop->step->kind == KS_N_ASSIGN &&
         strcmp(loop->step->text, "=") != 0 && ks_loop_changes(&r, loop->step->kid[1])))
        refuse(&r, node, "the loop's limit or step changes in it");
    if (loop->declared) {
        ks_loop_enter(&r.env, node);
    } else {
        struct ks_affine_local *local = ks_vec_push(arena, &r.env);
        const struct ks_affine_local *outer = ks_affine_find(env, loop->var);
        if (outer)
            *local = *outer;
        local->name = loop->var;
        local->value = ks_poly_symbol(loop->var);
    }
    expression(&r, loop->limit);
    statement(&r, loop->body);
    check_stores(&r);
    for (size_t i = 0; i < loop->n_reductions; i++) {
        const struct ks_reduction *one = &loop->reductions[i];
        if (ks_node_count_name(loop->body, one->name) != one->places)
            refuse(&r, node, ks_arena_printf(arena, "%s is also used in the loop", one->name));
        if (one->place && ks_node_count_name(loop->body, one->place) != 1)
            refuse(&r, node, ks_arena_printf(arena, "%s is also used in the loop", one->place));
    }
}

void ks_loop_read(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                  const struct ks_body *body, const struct ks_affine *env, struct ks_node *node,
                  struct ks_loop *loop)
{
    read(arena, decl, body, env, node, false, loop);
}

void ks_loop_read_placed(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                         const struct ks_body *body, const struct ks_affine *env,
                         struct ks_node *node, struct ks_loop *loop)
{
    read(arena, decl, body, env, node, true, loop);
}
