#include "engine/struct_sizes.h"

#include <string.h>

bool ks_struct_is_of_integers(const struct ks_arg *arg)
{
    const struct ks_block *block = arg->block;
    if (arg->kind != KS_ARG_STRUCT || block->n_pointers > 0)
        return false;
    for (size_t i = 0; i < block->size; i++)
        if (block->matters[i])
            return false;
    return true;
}

const char *ks_struct_size_text(struct ks_arena *arena, const struct ks_problem *problem, const struct ks_arg *arg)
{
    const enum ks_scalar scalar = arg->type.elem.scalar;
    const bool is_signed = scalar == KS_T_I8 || scalar == KS_T_I16 || scalar == KS_T_I32 || scalar == KS_T_I64;
    return ks_arena_printf(arena, "%s.%c%zu_%zu", problem->args[arg->parent].name, is_signed ? 'i' : 'u',
                           8 * arg->size, arg->at);
}

bool ks_struct_size_value(const struct ks_problem *problem, const char *text, int64_t *value)
{
    struct ks_struct_member member;
    if (!ks_expr_member(text, &member))
        return false;
    for (size_t i = problem->n_params; i < problem->n_args; i++) {
        const struct ks_arg *arg = &problem->args[i];
        const char *parent = problem->args[arg->parent].name;
        if (strlen(parent) == member.stem && strncmp(parent, text, member.stem) == 0 && arg->at == member.at &&
            arg->size == member.size && ks_arg_integer(arg, value))
            return true;
    }
    return false;
}
