#include "engine/vectors_apart.h"

void ks_vectors_apart(struct ks_problem *problem)
{
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        if (arg->kind != KS_ARG_BUFFER || arg->elem.lanes == 1)
            continue;
        arg->count *= arg->elem.lanes;
        arg->elem.size = ks_scalar_size(arg->elem.scalar);
        arg->elem.lanes = 1;
    }
}

bool ks_vectors_have(const struct ks_brief *brief, int lanes)
{
    for (size_t i = 0; i < brief->signature->n_params; i++)
        if (brief->signature->params[i].pointer && brief->signature->params[i].elem.lanes == lanes)
            return true;
    return false;
}
