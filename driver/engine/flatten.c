// Structs passed by value, read as their members: `p.n` becomes a parameter `p_n` of its own, so that all that is
// known of parameters holds for members too. The variant takes the members, and its plan says where they lie
// (struct ks_struct_member).
#include "engine/flatten.h"

#include <string.h>

#include "base/vec.h"
#include "engine/body.h"
#include "engine/edit.h"
#include "workload/problem.h"

struct flattener {
    struct ks_arena *arena;
    const struct ks_brief *brief;
    struct ks_body body;
    struct ks_edit_list edits;
    struct ks_member_list *members;
    // Of the struct that is looked at:
    const char *param;
    const struct ks_block *block;
    bool whole, changes; // it is used otherwise too, or changed
};

const struct ks_block *ks_struct_block(const struct ks_brief *brief, const char *param)
{
    const struct ks_mark *mark = brief->mark;
    for (size_t w = 0; mark != NULL && w < mark->n_workloads; w++)
        for (size_t i = 0; i < mark->workloads[w].n_blocks; i++)
            if (strcmp(mark->workloads[w].blocks[i].name, param) == 0)
                return &mark->workloads[w].blocks[i];
    return NULL;
}

// How a plan names what lies at `at`; NULL: it cannot, or a variant's kernel takes no such type.
static const char *plan_name(struct ks_arena *arena, const char *param, size_t at, const struct ks_type *type)
{
    bool real = ks_scalar_is_float(type->elem.scalar);
    if (type->elem.scalar == KS_T_NONE)
        return NULL;
    if (type->pointer)
        return ks_arena_printf(arena, "%s.ptr_%zu", param, at);
    if (type->elem.lanes != 1 || (real && type->elem.size < 4))
        return NULL;
    return ks_arena_printf(arena, "%s.%c%zu_%zu", param,
                           real                                      ? 'f'
                           : ks_scalar_is_signed(type->elem.scalar) ? 'i'
                                                                     : 'u',
                           8 * type->elem.size, at);
}

// "in.d" of p.in.d, or NULL.
static const char *member_text(struct flattener *f, const struct ks_node *node)
{
    if (node->kind != KS_N_MEMBER || node->arrow)
        return NULL;
    if (ks_node_is(node->kid[0], KS_N_NAME, f->param))
        return node->text;
    const char *front = member_text(f, node->kid[0]);
    return front ? ks_arena_printf(f->arena, "%s.%s", front, node->text) : NULL;
}

static bool is_taken(const struct flattener *f, const char *name)
{
    bool taken = ks_node_mentions(f->body.block, name) || ks_node_find(f->body.block, KS_N_VAR, name) != NULL;
    for (size_t i = 0; i < f->brief->decl->n_params; i++)
        taken |= strcmp(f->brief->decl->params[i].name, name) == 0;
    return taken;
}

// The member of that name, listed: NULL where there is none that a parameter could stand for.
static const struct ks_member *member_of(struct flattener *f, const char *member)
{
    const char *clause = ks_arena_printf(f->arena, "%s.%s", f->param, member);
    const struct ks_type *type = NULL;
    size_t at = 0;
    ks_vec_each (const struct ks_member, known, f->members)
        if (strcmp(known->clause, clause) == 0)
            return known;
    for (size_t i = 0; i < f->block->n_values; i++)
        if (strcmp(f->block->values[i].name, clause) == 0) {
            type = &f->block->values[i].type;
            at = f->block->values[i].at;
        }
    for (size_t i = 0; i < f->block->n_pointers; i++)
        if (strcmp(f->block->pointers[i].name, clause) == 0) {
            type = &f->block->pointers[i].type;
            at = f->block->pointers[i].at;
        }
    const char *plan = type ? plan_name(f->arena, f->param, at, type) : NULL;
    char *name = ks_arena_strdup(f->arena, clause);
    for (char *c = name; *c; c++)
        *c = *c == '.' ? '_' : *c;
    if (!plan || is_taken(f, name))
        return NULL;
    struct ks_member *one = ks_vec_push(f->arena, f->members);
    *one = (struct ks_member){.name = name, .clause = clause, .plan = plan, .type = *type, .at = at};
    return one;
}

// Whether an lvalue is the struct or lies in it, not behind one of its pointers.
static bool lies_in_it(struct flattener *f, const struct ks_node *lvalue)
{
    if (lvalue->kind == KS_N_MEMBER && !lvalue->arrow)
        return lies_in_it(f, lvalue->kid[0]);
    if (lvalue->kind != KS_N_INDEX)
        return ks_node_is(lvalue, KS_N_NAME, f->param);
    const char *text = member_text(f, lvalue->kid[0]);
    const struct ks_member *member = text ? member_of(f, text) : NULL;
    return !(member && member->type.pointer) && lies_in_it(f, lvalue->kid[0]);
}

// Whether the node changes some of the struct, or takes an address in it.
static bool is_changed(struct flattener *f, const struct ks_node *node)
{
    bool changes = node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX ||
                   (node->kind == KS_N_UNARY && (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0 ||
                                                 strcmp(node->text, "&") == 0));
    bool found = changes && lies_in_it(f, node->kid[0]);
    for (size_t i = 0; node->kind == KS_N_CALL && i < node->n; i++)
        found |= ks_node_changed_by(node, i) && lies_in_it(f, node->kid[i]);
    return found;
}

static bool visit(void *context, struct ks_node *node)
{
    struct flattener *f = context;
    const char *text = member_text(f, node);
    const struct ks_member *member = text ? member_of(f, text) : NULL;
    if (member)
        ks_edit_add(f->arena, &f->edits, node->begin, node->end, member->name);
    f->changes |= is_changed(f, node);
    f->whole |= (text && !member) || ks_node_is(node, KS_N_NAME, f->param);
    return !text;
}

// Lists the members of parameter `i` that the kernel uses. True where it uses nothing else of it.
static bool take_apart(struct flattener *f, size_t i)
{
    const struct ks_param *param = &f->brief->decl->params[i];
    size_t members = f->members->len, edits = f->edits.len;
    f->param = param->name;
    f->block = param->type.pointer || !*param->name ? NULL : ks_struct_block(f->brief, param->name);
    f->whole = f->changes = false;
    if (!f->block || ks_node_find(f->body.block, KS_N_VAR, f->param))
        return false;
    ks_node_walk(f->body.block, visit, f);
    if (f->whole && f->changes) { // both would have to follow
        f->members->len = members;
        f->edits.len = edits;
        return false;
    }
    for (size_t m = members; m < f->members->len; m++)
        f->members->at[m].param = i;
    return !f->whole;
}

// The parameter that a let is the value of, where the launch shows it as nothing else.
static const char *shown_as(void *context, const char *name)
{
    const struct ks_member_list *members = ((void **)context)[0];
    const struct ks_workload_mark *w = ((void **)context)[1];
    ks_vec_each (const struct ks_member, m, members)
        for (size_t i = 0; i < w->n_settings; i++)
            if (strcmp(w->settings[i].name, m->clause) == 0 && w->settings[i].n_values == 1 &&
                strcmp(w->settings[i].values[0], name) == 0)
                return m->name;
    return NULL;
}

static struct ks_expr *renamed(struct ks_arena *arena, const struct ks_expr *expr,
                               const char *(*rename)(void *context, const char *name), void *context)
{
    struct ks_expr *copy = ks_arena_memdup(arena, expr, sizeof *expr);
    const char *name = expr->op == KS_X_NAME ? rename(context, expr->name) : NULL;
    if (name)
        copy->name = name;
    for (size_t i = 0; i < sizeof copy->kid / sizeof *copy->kid; i++)
        if (copy->kid[i])
            copy->kid[i] = renamed(arena, copy->kid[i], rename, context);
    return copy;
}

// Arrays by the names of the parameters that point to them, their sizes by those that show them.
static const struct ks_mark *mark_of(struct ks_arena *arena, const struct ks_mark *from,
                                     const struct ks_member_list *members)
{
    struct ks_mark *mark = ks_arena_memdup(arena, from, sizeof *from);
    mark->workloads = ks_arena_memdup(arena, from->workloads, from->n_workloads * sizeof *from->workloads);
    for (size_t i = 0; i < mark->n_workloads; i++) {
        struct ks_workload_mark *w = &mark->workloads[i];
        void *context[] = {(void *)(uintptr_t)members, w};
        w->arrays = ks_arena_memdup(arena, w->arrays, w->n_arrays * sizeof *w->arrays);
        for (size_t a = 0; a < w->n_arrays; a++) {
            w->arrays[a].count = renamed(arena, w->arrays[a].count, shown_as, context);
            ks_vec_each (const struct ks_member, m, members)
                if (strcmp(w->arrays[a].name, m->clause) == 0)
                    w->arrays[a].name = m->name;
        }
        for (size_t a = 0; a < 3; a++)
            if (w->grid[a])
                w->grid[a] = renamed(arena, w->grid[a], shown_as, context);
    }
    return mark;
}

// The numbers of a workload with those of the members beside them.
static struct ks_problem problem_of(struct ks_arena *arena, const struct ks_problem *from,
                                    const struct ks_member_list *members)
{
    struct ks_problem problem = *from;
    problem.values = KS_NEW_ARRAY(arena, struct ks_value, from->n_values + members->len);
    memcpy(problem.values, from->values, from->n_values * sizeof *from->values);
    ks_vec_each (const struct ks_member, m, members)
        for (size_t i = from->n_params; i < from->n_args; i++)
            if (from->args[i].parent == m->param && from->args[i].at == m->at &&
                ks_arg_integer(&from->args[i], &problem.values[problem.n_values].value))
                problem.values[problem.n_values++].name = m->name;
    return problem;
}

// `gone`: structs of which nothing but members is left.
static const struct ks_brief *brief_of(struct flattener *f, const bool *gone)
{
    struct ks_arena *arena = f->arena;
    struct ks_brief *brief = ks_arena_memdup(arena, f->brief, sizeof *f->brief);
    struct ks_kernel_decl *decl = ks_arena_memdup(arena, brief->decl, sizeof *brief->decl);
    struct ks_signature *signature = ks_arena_memdup(arena, brief->signature, sizeof *brief->signature);
    size_t n = decl->n_params + f->members->len;
    decl->params = KS_NEW_ARRAY(arena, struct ks_param, n);
    signature->params = KS_NEW_ARRAY(arena, struct ks_type, n);
    signature->offsets = KS_NEW_ARRAY(arena, size_t, n);
    n = 0;
    for (size_t i = 0; i < f->brief->decl->n_params; i++) {
        if (!gone[i]) {
            decl->params[n] = f->brief->decl->params[i];
            signature->params[n] = f->brief->signature->params[i];
            signature->offsets[n++] = f->brief->signature->offsets[i];
        }
        ks_vec_each (const struct ks_member, m, f->members)
            if (m->param == i) {
                decl->params[n] = (struct ks_param){m->name, m->type};
                signature->params[n] = m->type;
                signature->offsets[n++] = f->brief->signature->offsets[i] + m->at;
            }
    }
    decl->n_params = signature->n_params = n;
    struct ks_problem *problems = KS_NEW_ARRAY(arena, struct ks_problem, brief->n_problems);
    for (size_t i = 0; i < brief->n_problems; i++)
        problems[i] = problem_of(arena, &brief->problems[i], f->members);
    brief->kernel_text = ks_edit_apply(arena, &f->edits, f->body.text, 0, f->body.text.len);
    brief->decl = decl;
    brief->signature = signature;
    brief->problems = problems;
    brief->mark = mark_of(arena, brief->mark, f->members);
    return brief;
}

const struct ks_brief *ks_flatten(struct ks_arena *arena, const struct ks_brief *brief, struct ks_member_list *members)
{
    struct flattener f = {.arena = arena, .brief = brief, .members = members};
    bool *gone = KS_NEW_ARRAY(arena, bool, brief->decl->n_params + 1), blocks = false;
    struct ks_err err = {0};
    for (size_t i = 0; i < brief->decl->n_params; i++)
        blocks |= !brief->decl->params[i].type.pointer && ks_struct_block(brief, brief->decl->params[i].name) != NULL;
    if (!blocks || ks_body_parse(arena, brief->kernel_text, brief->decl, &brief->callees, &f.body, &err) != KS_OK)
        return brief;
    for (size_t i = 0; i < brief->decl->n_params; i++)
        gone[i] = take_apart(&f, i);
    return members->len > 0 ? brief_of(&f, gone) : brief;
}

static const char *in_the_plan(void *context, const char *name)
{
    const struct ks_member_list *members = context;
    ks_vec_each (const struct ks_member, m, members)
        if (strcmp(m->name, name) == 0)
            return m->plan;
    return NULL;
}

struct ks_expr *ks_flatten_expr(struct ks_arena *arena, const struct ks_member_list *members,
                                const struct ks_expr *expr)
{
    return renamed(arena, expr, in_the_plan, (void *)(uintptr_t)members);
}
