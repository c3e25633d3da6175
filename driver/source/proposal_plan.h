// How the arguments of a plan's step meet the parameters of its kernel: the one rule that the gate
// checks, the dispatch table prints and the judge follows.
//
// A parameter of the original, or a member of one that is a struct, passes through by its bytes where both types
// have the same layout; an integer meets another integer type by value, range-checked; a workspace meets a pointer.
#ifndef KS_PROPOSAL_PLAN_H
#define KS_PROPOSAL_PLAN_H

#include "source/proposal.h"

enum ks_arg_kind {
    KS_ARG_PARAM,     // the original's parameter `index`, as it was passed
    KS_ARG_MEMBER,    // what lies in that parameter from byte `at` on
    KS_ARG_WORKSPACE, // address of workspace `index`
    KS_ARG_VALUE,     // the expression's value, converted to `scalar`
};

struct ks_arg {
    enum ks_arg_kind kind;
    size_t index, at;
    enum ks_scalar scalar; // KS_ARG_VALUE
    int64_t min, max;      // KS_ARG_VALUE: outside, the plan is refused
};

// What argument `n` of a kernel step is. NULL *why on success; else why they do not fit (borrowed
// from the arena).
struct ks_arg ks_plan_arg(struct ks_arena *arena, const struct ks_proposal *proposal,
                          const struct ks_signature *signature, const struct ks_step *step,
                          size_t n, const char **why);

// The kernel of the proposal's source that a step names, or NULL.
const struct ks_kernel_decl *ks_plan_kernel(const struct ks_proposal *proposal, const char *name);
// Position of a name among the original's parameters or the workspaces; -1 if it is none.
int ks_plan_param(const struct ks_proposal *proposal, const char *name);
int ks_plan_workspace(const struct ks_proposal *proposal, const char *name);
// Position of the parameter that is a struct and has a member of that name ("p.i32_8"); -1 if it is no such name.
int ks_plan_member(const struct ks_proposal *proposal, const struct ks_signature *signature, const char *name,
                   struct ks_struct_member *member);
// Whether a member's bytes are a value of that type.
bool ks_plan_member_fits(const struct ks_struct_member *member, const struct ks_type *type);
// Whether an expression can read a value of this type: integers and pointers.
bool ks_plan_readable(const struct ks_type *type);
bool ks_plan_is_geometry(const char *name); // grid.x .. block.z, shared
// Last identifier in a type's text, which names a struct whatever the qualification; "" if none.
const char *ks_plan_type_word(struct ks_arena *arena, const char *type_text);

#endif
