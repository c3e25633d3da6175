#include "engine/plan.h"

static enum ks_status parse(struct ks_arena *arena, const char *what, const char *text,
                            struct ks_expr **expr, struct ks_err *err)
{
    *expr = NULL;
    return text ? ks_expr_parse(arena, what, ks_slice_of(text), expr, err) : KS_OK;
}

static enum ks_status build_step(struct ks_arena *arena, const char *what,
                                 const struct ks_plan_step *from, struct ks_step *to,
                                 struct ks_err *err)
{
    to->kind = from->kernel ? KS_STEP_KERNEL : KS_STEP_MEMSET;
    to->kernel = from->kernel;
    to->workspace = from->workspace;
    to->value = from->value;
    for (int i = 0; i < 3; i++) {
        KS_TRY(parse(arena, what, from->grid[i], &to->grid[i], err));
        KS_TRY(parse(arena, what, from->block[i], &to->block[i], err));
    }
    KS_TRY(parse(arena, what, from->shared, &to->shared, err));
    to->n_args = from->n_args;
    to->args = KS_NEW_ARRAY(arena, struct ks_expr *, from->n_args);
    for (size_t i = 0; i < from->n_args; i++)
        KS_TRY(parse(arena, what, from->args[i], &to->args[i], err));
    return KS_OK;
}

static enum ks_status build(struct ks_arena *arena, const char *what,
                            const struct ks_kernel_decl *original, const char *source,
                            const char *when, const struct ks_plan_workspace *workspaces,
                            size_t n_workspaces, const struct ks_plan_step *steps, size_t n_steps,
                            struct ks_proposal *proposal, struct ks_err *err)
{
    *proposal = (struct ks_proposal){.source = source, .n_params = original->n_params};
    proposal->includes = KS_NEW_ARRAY(arena, const char *, 0);
    proposal->params = KS_NEW_ARRAY(arena, const char *, original->n_params);
    for (size_t i = 0; i < original->n_params; i++)
        proposal->params[i] = original->params[i].name;
    KS_TRY(parse(arena, what, when && *when ? when : "1", &proposal->when, err));
    proposal->workspaces = KS_NEW_ARRAY(arena, struct ks_workspace, n_workspaces);
    proposal->n_workspaces = n_workspaces;
    for (size_t i = 0; i < n_workspaces; i++) {
        proposal->workspaces[i].name = workspaces[i].name;
        KS_TRY(parse(arena, what, workspaces[i].bytes, &proposal->workspaces[i].bytes, err));
    }
    proposal->steps = KS_NEW_ARRAY(arena, struct ks_step, n_steps);
    proposal->n_steps = n_steps;
    for (size_t i = 0; i < n_steps; i++)
        KS_TRY(build_step(arena, what, &steps[i], &proposal->steps[i], err));
    return KS_OK;
}

enum ks_status ks_plan_build(struct ks_arena *arena, const char *what,
                             const struct ks_kernel_decl *original,
                             const struct ks_signature *signature, const char *source,
                             const char *when, const struct ks_plan_workspace *workspaces,
                             size_t n_workspaces, const struct ks_plan_step *steps, size_t n_steps,
                             struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_err local = {0};
    enum ks_status status = build(arena, what, original, source, when, workspaces, n_workspaces,
                                  steps, n_steps, proposal, &local);
    if (status == KS_OK)
        status = ks_proposal_check(arena, proposal, signature, &local);
    if (status != KS_OK)
        KS_FAIL(err, KS_E_INTERNAL, "%s: %s", what, local.text);
    return KS_OK;
}
