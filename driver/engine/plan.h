// Builds a proposal from texts: what transforms and templates have in common.
#ifndef KS_PLAN_H
#define KS_PLAN_H

#include "source/proposal.h"

struct ks_plan_step {
    const char *kernel;              // NULL: memset of `workspace` to `value`
    const char *grid[3], *block[3];  // NULL: 1
    const char *shared;              // NULL: 0
    const char *const *args; size_t n_args;
    const char *workspace;
    int value;
};
struct ks_plan_workspace {
    const char *name, *bytes;
};

// Parses the expressions and passes the result through ks_proposal_check. A failure is a mistake of
// the engine or of a template's text: KS_E_INTERNAL with `what` and the gate's words.
enum ks_status ks_plan_build(struct ks_arena *arena, const char *what,
                             const struct ks_kernel_decl *original,
                             const struct ks_signature *signature, const char *source,
                             const char *when, const struct ks_plan_workspace *workspaces,
                             size_t n_workspaces, const struct ks_plan_step *steps, size_t n_steps,
                             struct ks_proposal *proposal, struct ks_err *err);

#endif
