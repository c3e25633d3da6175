#include "engine/map_finder.h"
#include "engine/reshape.h"

#include <string.h>

#include "base/vec.h"

static const char *const names[] = {"opt_x", "opt_y", "opt_z"};

static bool is_helper(const struct ks_map_finder *f, const char *name)
{
    for (size_t i = 0; i < f->helpers.len; i++)
        if (strcmp(f->helpers.at[i], name) == 0)
            return true;
    return false;
}

static bool contains_raw(const struct ks_map_finder *f, const struct ks_node *node)
{
    if (ks_builtin_name(f->arena, node) || (node->kind == KS_N_NAME && is_helper(f, node->text)))
        return true;
    for (size_t i = 0; i < node->n; i++)
        if (contains_raw(f, node->kid[i]))
            return true;
    return node->init && contains_raw(f, node->init);
}

static const char *block_text(const struct ks_map_finder *f, const struct ks_poly *p, char axis,
                              const char *symbol)
{
    if (!symbol || *symbol)
        return symbol;
    char index[] = "blockIdx.?";
    index[9] = axis;
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->term[i].symbol[0], index) == 0)
            return ks_arena_printf(f->arena, "%lld", (long long)p->term[i].coef);
    return NULL;
}

// The axis whose global index the expression is, or -1.
static int global_axis(struct ks_map_finder *f, const struct ks_node *node, struct ks_poly *p,
                       const char **block)
{
    *p = ks_affine_eval(f->env, node);
    for (int a = 0; a < 3; a++)
        if (ks_poly_is_global(p, (char)('x' + a), block) &&
            !(f->parts[a] && !ks_poly_mentions(p, "threadIdx."))) {
            *block = block_text(f, p, (char)('x' + a), *block);
            return a;
        }
    return -1;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

// Records global indexes below the expression; true when thread or block numbers remain that are
// part of none.
static bool scan(struct ks_map_finder *f, const struct ks_node *node, const struct ks_node **where)
{
    if (!contains_raw(f, node))
        return false;
    struct ks_poly p;
    const char *block;
    int a = global_axis(f, node, &p, &block);
    if (a >= 0 && node->kind != KS_N_NAME) {
        struct ks_map_axis *axis = &f->map->axis[a];
        if (axis->used && !same_text(axis->block, block)) {
            *where = *where ? *where : node;
            return true;
        }
        axis->used = true;
        axis->block = block;
        axis->wide |= p.wide;
        ks_edit_add(f->arena, &f->map->edits, node->begin, node->end,
                    p.wide ? ks_arena_printf(f->arena, "(long long)%s", names[a]) : names[a]);
        return false;
    }
    if (node->n == 0 || ks_builtin_name(f->arena, node)) {
        *where = *where ? *where : node;
        return true;
    }
    bool raw = false;
    for (size_t i = 0; i < node->n; i++)
        raw |= scan(f, node->kid[i], where);
    return raw;
}

static bool is_wide(const char *type)
{
    return strstr(type, "long") || strstr(type, "size_t") || strstr(type, "64");
}

static enum ks_status scan_declaration(struct ks_map_finder *f, const struct ks_node *decl, bool loop)
{
    const struct ks_node *where = NULL;
    size_t raw = 0;
    bool *gone = KS_NEW_ARRAY(f->arena, bool, decl->n + 1);
    for (size_t i = 0; i < decl->n; i++) {
        struct ks_node *var = decl->kid[i];
        bool helper = var->init && scan(f, var->init, &where);
        for (size_t k = 0; k < var->n; k++)
            if (scan(f, var->kid[k], &where))
                KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: array extent depends on the thread",
                        var->line);
        if (helper) {
            ks_strv_add(f->arena, &f->helpers, var->text);
            gone[i] = true;
            raw++;
        }
    }
    ks_affine_declare(f->env, decl, loop);
    if (raw > 0)
        ks_node_drop(f->arena, &f->map->edits, decl, gone);
    for (size_t i = 0; i < decl->n; i++) {
        if (gone[i])
            continue;
        const struct ks_affine_local *local = ks_affine_find(f->env, decl->kid[i]->text);
        const char *block;
        for (int a = 0; a < 3; a++)
            if (!local->changes && ks_poly_is_global(&local->value, (char)('x' + a), &block)) {
                f->map->axis[a].var = local->name;
                f->map->axis[a].wide |= is_wide(decl->text);
            }
    }
    return KS_OK;
}

static enum ks_status refuse_raw(struct ks_map_finder *f, const struct ks_node *where)
{
    return ks_err_set(f->err, KS_E_UNSUPPORTED,
                      "line %d: \"%.40s\" is used other than in a global thread index", where->line,
                      ks_node_text(f->arena, f->body, where));
}

static enum ks_status scan_statement(struct ks_map_finder *f, struct ks_node *node, int loops)
{
    const struct ks_node *where = NULL;
    if (node->kind == KS_N_DECL)
        return scan_declaration(f, node, false);
    if (node->kind == KS_N_RETURN) {
        if (loops > 0 && !f->map->deep_return)
            f->map->deep_return = node;
        ks_edit_add(f->arena, &f->map->to_continue, node->begin, node->end, "continue;");
    }
    if (node->kind == KS_N_CONTINUE && loops == 0)
        ks_edit_add(f->arena, &f->map->to_return, node->begin, node->end, "return;");
    if (node->kind == KS_N_BREAK && loops == 0)
        KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: break leaves the grid-stride loop", node->line);
    bool loop = node->kind == KS_N_FOR || node->kind == KS_N_WHILE || node->kind == KS_N_DO;
    for (size_t i = 0; i < node->n; i++) {
        if (loop && i == 0 && node->kid[0]->kind == KS_N_DECL)
            KS_TRY(scan_declaration(f, node->kid[0], true));
        else if (node->kid[i]->kind >= KS_N_BLOCK)
            KS_TRY(scan_statement(f, node->kid[i], loops + loop));
        else if (scan(f, node->kid[i], &where))
            return refuse_raw(f, where);
    }
    return KS_OK;
}

// A parameter of at most 32 bits, or a literal.
static bool is_narrow(const struct ks_kernel_decl *decl, const struct ks_node *expr)
{
    for (size_t i = 0; expr->kind == KS_N_NAME && i < decl->n_params; i++)
        if (strcmp(decl->params[i].name, expr->text) == 0)
            return decl->params[i].type.elem.size <= 4;
    return expr->kind == KS_N_NUMBER;
}

const char *ks_map_plan_text(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                             const struct ks_affine *env, ks_map_constant *constant, void *context,
                             const struct ks_node *expr)
{
    const char *a, *b;
    switch (expr->kind) {
    case KS_N_NUMBER: {
        struct ks_poly p = ks_affine_eval(env, expr);
        if (!p.known)
            return NULL;
        return ks_arena_printf(arena, "%lld", p.n ? (long long)p.term[0].coef : 0);
    }
    case KS_N_NAME: {
        const struct ks_affine_local *local = ks_affine_find(env, expr->text);
        if (local)
            return local->changes || !local->var->init || local->var->n > 0 || local->var->pointer
                       ? NULL
                       : ks_map_plan_text(arena, decl, env, constant, context, local->var->init);
        for (size_t i = 0; i < decl->n_params; i++) {
            const struct ks_type *type = &decl->params[i].type;
            bool integer =
                !type->pointer && type->elem.lanes == 1 && !ks_scalar_is_float(type->elem.scalar);
            if (strcmp(decl->params[i].name, expr->text) == 0)
                return integer ? expr->text : NULL;
        }
        return constant ? constant(context, expr->text) : NULL;
    }
    case KS_N_CAST: // only where it cannot cut anything off
        if (!is_wide(expr->text) &&
            (strcmp(expr->text, "int") != 0 || !is_narrow(decl, expr->kid[0])))
            return NULL;
        return ks_map_plan_text(arena, decl, env, constant, context, expr->kid[0]);
    case KS_N_BINARY:
        if (strlen(expr->text) != 1 || !strchr("+-*/%", expr->text[0]))
            return NULL;
        a = ks_map_plan_text(arena, decl, env, constant, context, expr->kid[0]);
        b = ks_map_plan_text(arena, decl, env, constant, context, expr->kid[1]);
        return a && b ? ks_arena_printf(arena, "(%s %s %s)", a, expr->text, b) : NULL;
    default:
        return NULL;
    }
}

// for (T i = <global x>; i < LIMIT; i += blockDim.x * gridDim.x), the index declared there or just
// before. Returns the loop variable's name, or NULL.
static const char *stride_variable(struct ks_map_finder *f, struct ks_node *loop,
                                   const struct ks_node **start)
{
    const struct ks_node *init = loop->kid[0], *step = loop->kid[2];
    const char *name = NULL;
    if (init->kind == KS_N_DECL && init->n == 1 && init->kid[0]->init) {
        name = init->kid[0]->text;
        *start = init->kid[0]->init;
        f->map->stride_type = init->text;
    }
    if (!name || !ks_map_is_global_x(f, *start) || step->kind != KS_N_ASSIGN ||
        !ks_node_is(step->kid[0], KS_N_NAME, name))
        return NULL;
    const struct ks_node *by = step->kid[1];
    if (strcmp(step->text, "=") == 0) { // i = i + stride
        if (!ks_node_is(by, KS_N_BINARY, "+"))
            return NULL;
        by = by->kid[ks_node_is(by->kid[0], KS_N_NAME, name)];
    } else if (strcmp(step->text, "+=") != 0) {
        return NULL;
    }
    struct ks_poly a = ks_poly_symbol("blockDim.x"), b = ks_poly_symbol("gridDim.x");
    struct ks_poly all = ks_poly_product(&a, &b), p = ks_affine_eval(f->env, by);
    return ks_poly_equal(&p, &all) ? name : NULL;
}

static enum ks_status stride_loop(struct ks_map_finder *f, struct ks_node *loop, bool *is)
{
    const struct ks_node *start = NULL;
    struct ks_map *m = f->map;
    const char *name = stride_variable(f, loop, &start);
    *is = name != NULL;
    if (!name)
        return KS_OK;
    struct ks_poly p = ks_affine_eval(f->env, start);
    const char *block;
    ks_poly_is_global(&p, 'x', &block);
    m->stride = true;
    m->axis[0] = (struct ks_map_axis){.used = true,
                                      .wide = p.wide || is_wide(m->stride_type),
                                      .block = block_text(f, &p, 'x', block)};
    if (ks_node_changes(loop->kid[3], name))
        KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: the loop's variable changes in its body",
                loop->line);
    // Inside an item the variable is the global index.
    struct ks_affine_local *local = ks_vec_push(f->arena, f->env);
    *local = (struct ks_affine_local){.name = name, .var = loop->kid[0]->kid[0]};
    struct ks_poly t = ks_poly_symbol("threadIdx.x"), i = ks_poly_symbol("blockIdx.x"),
                   d = ks_poly_symbol("blockDim.x"), id = ks_poly_product(&i, &d);
    local->value = ks_poly_sum(&id, &t, 1);
    local->value.wide = m->axis[0].wide;
    m->axis[0].var = name;
    struct ks_map_bound bound = {loop->kid[1], false};
    m->limit = ks_map_upper_limit(f, &bound);
    if (!m->limit)
        KS_FAIL(f->err, KS_E_UNSUPPORTED,
                "line %d: the loop's limit is no expression of parameters", loop->line);
    struct ks_node *body = loop->kid[3];
    bool block_body = body->kind == KS_N_BLOCK;
    m->begin = block_body ? body->begin + 1 : body->begin;
    m->end = block_body ? body->end - 1 : body->end;
    m->item_begin = m->begin;
    ks_map_add_items(f, block_body ? body->kid : &body, block_body ? body->n : 1);
    for (size_t k = 0; k < m->n_item; k++)
        KS_TRY(scan_statement(f, m->item[k], 0));
    if (m->to_continue.len > 0)
        KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: return inside the grid-stride loop",
                loop->line);
    return KS_OK;
}

// Declarations in front of a grid-stride loop hold for all of a thread's items. One of the thread's
// first number serves the loop's start alone, and goes with it.
static enum ks_status scan_front(struct ks_map_finder *f, const struct ks_node *decl,
                                 const struct ks_node *loop)
{
    size_t numbers = 0;
    bool *gone = KS_NEW_ARRAY(f->arena, bool, decl->n + 1);
    if (decl->kind != KS_N_DECL || ks_map_touches_memory((struct ks_node *)decl))
        KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: work outside the grid-stride loop", decl->line);
    for (size_t i = 0; i < decl->n; i++) {
        const struct ks_affine_local *local = ks_affine_find(f->env, decl->kid[i]->text);
        gone[i] = is_helper(f, decl->kid[i]->text);
        if (gone[i] || !local || !local->value.known ||
            !ks_poly_mentions(&local->value, "threadIdx."))
            continue;
        gone[i] = true;
        numbers++;
        if (ks_node_mentions(loop->kid[3], local->name) ||
            ks_node_mentions(loop->kid[1], local->name))
            KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: %s, the thread's first number, is used in the loop",
                    decl->line, local->name);
    }
    if (numbers > 0)
        ks_node_drop(f->arena, &f->map->edits, decl, gone);
    return KS_OK;
}

static enum ks_status find_items(struct ks_map_finder *f)
{
    struct ks_node *block = f->body->block;
    struct ks_map *m = f->map;
    for (size_t i = 0; i < block->n; i++) {
        struct ks_node *node = block->kid[i];
        if (node->kind == KS_N_FOR && i + 1 == block->n) {
            bool is;
            KS_TRY(stride_loop(f, node, &is));
            if (is) {
                for (size_t k = 0; k < i; k++)
                    KS_TRY(scan_front(f, block->kid[k], node));
                return KS_OK;
            }
        }
        KS_TRY(scan_statement(f, node, 0));
    }
    m->begin = block->begin + 1;
    m->end = block->end - 1;
    ks_map_find_guard(f, block->kid, block->n);
    ks_map_find_tests(f);
    ks_map_find_limit(f);
    return KS_OK;
}

struct carry {
    const char *name;
    bool pointer;
    const struct ks_node *found;
};

static bool visit_carry(void *context, struct ks_node *node)
{
    struct carry *c = context;
    bool writes = node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX ||
                  (node->kind == KS_N_UNARY && strlen(node->text) == 2);
    if (writes && node->n > 0 && ks_node_is(node->kid[0], KS_N_NAME, c->name))
        c->found = node;
    for (size_t i = 0; node->kind == KS_N_CALL && i < node->n; i++) {
        const char *name = ks_node_changed_by(node, i);
        if (name && strcmp(name, c->name) == 0 && node->kid[i]->kind == KS_N_NAME && !c->pointer)
            c->found = node;
    }
    return !c->found;
}

// A value that one item leaves to the next would differ under another geometry: parameters that
// change, and locals in front of a grid-stride loop that change in it.
static enum ks_status refuse_carried(struct ks_map_finder *f)
{
    struct ks_node *block = f->body->block;
    for (size_t i = 0; i < f->decl->n_params; i++) {
        struct carry c = {f->decl->params[i].name, f->decl->params[i].type.pointer, NULL};
        ks_node_walk(block, visit_carry, &c);
        if (c.found)
            KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: the parameter %s changes", c.found->line,
                    c.name);
    }
    for (size_t i = 0; f->map->stride && i + 1 < block->n; i++)
        for (size_t v = 0; v < block->kid[i]->n; v++) {
            const char *name = block->kid[i]->kid[v]->text;
            if (ks_node_changes(block->kid[block->n - 1], name))
                KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: %s is carried from element to element",
                        block->kid[i]->line, name);
        }
    return KS_OK;
}

static bool mentions_thread(struct ks_arena *arena, const struct ks_node *node, char axis)
{
    const char *name = ks_builtin_name(arena, node);
    if (name)
        return ks_starts_with(name, "threadIdx.") && name[10] == axis;
    for (size_t i = 0; i < node->n; i++)
        if (mentions_thread(arena, node->kid[i], axis))
            return true;
    return node->init && mentions_thread(arena, node->init, axis);
}

// `parts`: in an axis where threads have numbers, those of blocks alone are no indexes.
static enum ks_status find_as(struct ks_map_finder *f, bool parts)
{
    *f->map = (struct ks_map){0};
    f->helpers = (struct ks_strv){0};
    for (char a = 'x'; a <= 'z'; a++)
        f->parts[a - 'x'] = parts && mentions_thread(f->arena, f->body->block, a);
    ks_affine_begin(f->arena, f->body->block, f->env);
    for (size_t i = 0; i < f->body->n_pragmas; i++)
        ks_edit_add(f->arena, &f->map->edits, f->body->pragmas[i].begin, f->body->pragmas[i].end,
                    f->body->pragmas[i].text);
    KS_TRY(find_items(f));
    KS_TRY(refuse_carried(f));
    if (!f->map->axis[0].used)
        KS_FAIL(f->err, KS_E_UNSUPPORTED, "line %d: no global thread index in x was found", f->decl->line);
    return KS_OK;
}

// " in f()" where it is not the call itself that stands there.
static const char *within(struct ks_arena *arena, const struct ks_node *call)
{
    const bool method = call->kid[0]->kind == KS_N_MEMBER;
    const char *name = call->kid[0]->kind == KS_N_CALL ? call->kid[0]->kid[0]->text : call->kid[0]->text;
    bool own = ks_callee_does(NULL, name, method) == call->does;
    return own ? "" : ks_arena_printf(arena, " in %s()", name);
}

// What threads do together, in the kernel or in functions that it calls, or what depends on which they are.
static enum ks_status refuse_shared_work(struct ks_arena *arena, const struct ks_access_list *access, struct ks_err *err)
{
    const struct {
        const struct ks_node *call;
        const char *what;
    } works[] = {{access->first_barrier, "threads meet at a barrier"},
                 {access->first_warp, "threads of a warp exchange values"},
                 {access->shared_call, "shared memory is used"},
                 {access->first_fence, "writes are put in order for other threads"},
                 {access->number_call, "the numbers of threads or blocks are used"},
                 {access->elsewhere_call, "atomics go to memory that no argument leads to"}};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (works[i].call)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: %s%s", works[i].call->line, works[i].what, within(arena, works[i].call));
    if (access->unseen_call)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: what %s() does is not known: its text is not seen, or it calls itself",
                access->unseen_call->line,
                *access->unseen_call->does->unseen ? access->unseen_call->does->unseen : access->unseen_call->kid[0]->text);
    return KS_OK;
}

enum ks_status ks_map_find(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                           const struct ks_body *body, const struct ks_access_list *access,
                           ks_map_constant *constant, void *context, struct ks_affine *env,
                           struct ks_map *map, struct ks_err *err)
{
    struct ks_err whole = {0}, split = {0};
    *map = (struct ks_map){0};
    KS_TRY(refuse_shared_work(arena, access, err));
    if (access->shared_arrays > 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has shared memory", decl->line);
    struct ks_map_finder f = {.arena = arena,
                       .decl = decl,
                       .body = body,
                       .env = env,
                       .map = map,
                       .constant = constant,
                       .context = context,
                       .err = &whole};
    if (find_as(&f, false) == KS_OK)
        return KS_OK;
    struct ks_map refused = *map;
    struct ks_affine locals = *env;
    f.err = &split; // `int bx = blockIdx.x;` may be a part of an index where it is none
    if (find_as(&f, true) == KS_OK)
        return KS_OK;
    *map = refused;
    *env = locals;
    KS_FAIL(err, KS_E_UNSUPPORTED, "%s", whole.text);
}
