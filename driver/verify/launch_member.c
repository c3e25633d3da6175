// Members of structs that are passed by value, as a proposal's expressions name them (struct ks_struct_member).
#include "verify/launch_member.h"

#include <stdio.h>
#include <string.h>

const char *ks_scope_param(const struct ks_scope *scope, size_t i)
{
    if (scope->proposal != NULL)
        return i < scope->proposal->n_params ? scope->proposal->params[i] : "";
    return scope->problem->args[i].name;
}

int ks_member_parent(const struct ks_scope *scope, const char *name, struct ks_struct_member *member)
{
    for (size_t i = 0; ks_expr_member(name, member) && i < scope->problem->n_params; i++)
        if (scope->problem->args[i].kind == KS_ARG_STRUCT && strlen(ks_scope_param(scope, i)) == member->stem &&
            strncmp(ks_scope_param(scope, i), name, member->stem) == 0)
            return (int)i;
    return -1;
}

bool ks_member_value(const struct ks_scope *scope, size_t parent, const struct ks_struct_member *member,
                     int64_t *value)
{
    const struct ks_problem *problem = scope->problem;
    const struct ks_block *block = problem->args[parent].block;
    for (size_t i = problem->n_params; member->kind == 'p' && i < problem->n_args; i++)
        if (problem->args[i].parent == parent && problem->args[i].at == member->at && scope->addresses != NULL) {
            *value = (int64_t)scope->addresses[scope->layout->slot_of[i]];
            return true;
        }
    if ((member->kind != 'i' && member->kind != 'u') || member->at + member->size > block->size)
        return false;
    uint64_t bits = 0;
    unsigned shift = 64 - 8 * (unsigned)member->size;
    memcpy(&bits, block->bytes + member->at, member->size);
    *value = member->kind == 'i' ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
    return member->kind == 'i' || bits <= INT64_MAX;
}

json_t *ks_member_argument(const struct ks_scope *scope, size_t parent, const struct ks_struct_member *member,
                           const struct ks_type *type)
{
    const struct ks_problem *problem = scope->problem;
    const struct ks_block *block = problem->args[parent].block;
    bool alike = type->pointer ? member->kind == 'p'
                               : member->kind != 'p' && type->elem.lanes == 1 && type->elem.size == member->size &&
                                     ks_scalar_is_float(type->elem.scalar) == (member->kind == 'f');
    if (!alike || member->at + member->size > block->size)
        return NULL;
    for (size_t i = problem->n_params; type->pointer && i < problem->n_args; i++)
        if (problem->args[i].parent == parent && problem->args[i].at == member->at &&
            problem->args[i].kind == KS_ARG_BUFFER)
            return json_pack("{s:I}", "buffer", (json_int_t)scope->layout->slot_of[i]);
    return ks_launch_bytes(block->bytes + member->at, member->size);
}

struct members {
    const struct ks_scope *scope;
    const char *outside; // a name that lies in no struct
};

static void visit_member(void *context, const char *name)
{
    struct members *m = context;
    struct ks_struct_member member;
    int parent = ks_member_parent(m->scope, name, &member);
    if (parent >= 0 && member.at + member.size > m->scope->problem->args[parent].block->size)
        m->outside = name;
}

static void visit_expr(struct members *m, const struct ks_expr *expr)
{
    if (expr != NULL)
        ks_expr_names(expr, visit_member, m);
}

bool ks_members_inside(const struct ks_scope *scope, char reason[256])
{
    const struct ks_proposal *p = scope->proposal;
    struct members m = {scope, NULL};
    visit_expr(&m, p->when);
    for (size_t i = 0; i < p->n_workspaces; i++)
        visit_expr(&m, p->workspaces[i].bytes);
    for (size_t i = 0; i < p->n_steps; i++) {
        const struct ks_step *step = &p->steps[i];
        for (int d = 0; d < 3; d++) {
            visit_expr(&m, step->grid[d]);
            visit_expr(&m, step->block[d]);
        }
        visit_expr(&m, step->shared);
        for (size_t k = 0; k < step->n_args; k++)
            visit_expr(&m, step->args[k]);
    }
    if (m.outside != NULL)
        snprintf(reason, 256, "`%s` lies outside the struct", m.outside);
    return m.outside == NULL;
}
