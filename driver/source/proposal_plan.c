// Arguments of plan steps.
#include "source/proposal_plan.h"

#include <ctype.h>
#include <string.h>

const struct ks_kernel_decl *ks_plan_kernel(const struct ks_proposal *proposal, const char *name)
{
    ks_vec_each(struct ks_kernel_decl, kernel, &proposal->kernels)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

int ks_plan_param(const struct ks_proposal *proposal, const char *name)
{
    for (size_t i = 0; i < proposal->n_params; i++)
        if (strcmp(proposal->params[i], name) == 0)
            return (int)i;
    return -1;
}

int ks_plan_member(const struct ks_proposal *proposal, const struct ks_signature *signature, const char *name,
                   struct ks_struct_member *member)
{
    if (!ks_expr_member(name, member))
        return -1;
    for (size_t i = 0; i < proposal->n_params; i++)
        if (strlen(proposal->params[i]) == member->stem && strncmp(proposal->params[i], name, member->stem) == 0)
            return !signature->params[i].pointer && signature->params[i].elem.scalar == KS_T_NONE ? (int)i : -1;
    return -1;
}

bool ks_plan_member_fits(const struct ks_struct_member *member, const struct ks_type *type)
{
    if (type->pointer || member->kind == 'p')
        return type->pointer && member->kind == 'p';
    return type->elem.lanes == 1 && type->elem.size == member->size && type->elem.scalar != KS_T_NONE &&
           ks_scalar_is_float(type->elem.scalar) == (member->kind == 'f');
}

int ks_plan_workspace(const struct ks_proposal *proposal, const char *name)
{
    for (size_t i = 0; i < proposal->n_workspaces; i++)
        if (strcmp(proposal->workspaces[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool ks_plan_is_geometry(const char *name)
{
    static const char *const names[] = {"grid.x",  "grid.y",  "grid.z", "block.x",
                                        "block.y", "block.z", "shared"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_integer(const struct ks_type *type)
{
    return !type->pointer && type->elem.lanes == 1 && type->elem.scalar >= KS_T_BOOL &&
           type->elem.scalar <= KS_T_U64;
}

bool ks_plan_readable(const struct ks_type *type)
{
    return type->pointer || is_integer(type);
}

const char *ks_plan_type_word(struct ks_arena *arena, const char *text)
{
    static const char *const qualifiers[] = {"const", "volatile", "struct", "enum", "__restrict__", NULL};
    for (size_t end = strlen(text); end > 0;) {
        size_t begin = end;
        while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_'))
            begin--;
        if (begin == end) {
            if (text[end - 1] == '>') // an instance: its whole text is its name
                return text;
            end--;
            continue;
        }
        char *word = ks_arena_strndup(arena, text + begin, end - begin);
        bool qualifier = false;
        for (const char *const *q = qualifiers; *q != NULL; q++)
            qualifier |= strcmp(word, *q) == 0;
        if (!qualifier)
            return word;
        end = begin;
    }
    return "";
}

static void value_range(enum ks_scalar scalar, int64_t *min, int64_t *max)
{
    *min = 0;
    switch (scalar) {
    case KS_T_BOOL:
        *max = 1;
        return;
    case KS_T_U64: // an expression's value never exceeds 63 bits
        *max = INT64_MAX;
        return;
    case KS_T_I64:
        *min = INT64_MIN;
        *max = INT64_MAX;
        return;
    case KS_T_F32: // integers that the type holds exactly
        *max = INT64_C(1) << 24;
        *min = -*max;
        return;
    case KS_T_F64:
        *max = INT64_C(1) << 53;
        *min = -*max;
        return;
    default:
        break;
    }
    int bits = (int)ks_scalar_size(scalar) * 8;
    bool is_signed = ks_scalar_is_signed(scalar);
    *max = (INT64_C(1) << (bits - is_signed)) - 1;
    *min = is_signed ? -*max - 1 : 0;
}

// Same bytes, same meaning: the original's parameter can be handed on.
static bool same_layout(struct ks_arena *arena, const struct ks_type *from,
                        const struct ks_type *to)
{
    if (from->pointer || to->pointer)
        return from->pointer && to->pointer;
    if (to->elem.scalar != KS_T_NONE)
        return from->elem.scalar == to->elem.scalar && from->elem.lanes == to->elem.lanes &&
               from->elem.size == to->elem.size;
    const char *word = ks_plan_type_word(arena, from->text);
    return *word != '\0' && strcmp(word, ks_plan_type_word(arena, to->text)) == 0;
}

struct ks_arg ks_plan_arg(struct ks_arena *arena, const struct ks_proposal *proposal,
                          const struct ks_signature *signature, const struct ks_step *step,
                          size_t n, const char **why)
{
    const struct ks_kernel_decl *kernel = ks_plan_kernel(proposal, step->kernel);
    const struct ks_expr *expr = step->args[n];
    const struct ks_type *to = &kernel->params[n].type;
    struct ks_arg arg = {.kind = KS_ARG_VALUE, .scalar = to->elem.scalar};
    *why = NULL;
    if (expr->op == KS_X_NAME) {
        int workspace = ks_plan_workspace(proposal, expr->name);
        if (workspace >= 0) {
            if (!to->pointer)
                *why = ks_arena_printf(arena, "workspace '%s' is passed for a %s", expr->name,
                                       to->text);
            return (struct ks_arg){.kind = KS_ARG_WORKSPACE, .index = (size_t)workspace};
        }
        int param = ks_plan_param(proposal, expr->name);
        if (param >= 0) {
            const struct ks_type *from = &signature->params[param];
            if (same_layout(arena, from, to))
                return (struct ks_arg){.kind = KS_ARG_PARAM, .index = (size_t)param};
            if (!is_integer(from) || !is_integer(to)) {
                *why = ks_arena_printf(arena, "parameter '%s' is a %s, but the kernel takes a %s",
                                       expr->name, from->text, to->text);
                return arg;
            }
        }
        struct ks_struct_member member;
        int parent = ks_plan_member(proposal, signature, expr->name, &member);
        if (parent >= 0 && ks_plan_member_fits(&member, to))
            return (struct ks_arg){.kind = KS_ARG_MEMBER, .index = (size_t)parent, .at = member.at};
        if (parent >= 0 && (member.kind == 'p' || member.kind == 'f')) {
            *why = ks_arena_printf(arena, "member '%s' is passed for a %s", expr->name, to->text);
            return arg;
        }
    }
    bool exact_float = !to->pointer && to->elem.lanes == 1 &&
                       (to->elem.scalar == KS_T_F32 || to->elem.scalar == KS_T_F64);
    if (!is_integer(to) && !exact_float) {
        *why = ks_arena_printf(arena, "an integer expression is passed for a %s", to->text);
        return arg;
    }
    value_range(arg.scalar, &arg.min, &arg.max);
    return arg;
}
