// A problem while it is made of a mark's workload: the names known so far, and scalar arguments. For workload/problem*.c.
#ifndef KS_PROBLEM_MAKER_H
#define KS_PROBLEM_MAKER_H

#include "workload/problem.h"

struct ks_maker {
    struct ks_arena *arena;
    const struct ks_workload_mark *mark;
    const struct ks_signature *signature;
    const struct ks_kernel_decl *decl;
    KS_VEC(struct ks_value) values;
    struct ks_problem *problem;
};

// A later name hides an earlier one. `context`: the maker, as ks_expr_eval passes it on.
bool ks_maker_find(void *context, const char *name, int64_t *value);
// Or says what is wrong: which name is missing, or that the value is undefined.
enum ks_status ks_maker_evaluate(const struct ks_maker *m, const struct ks_expr *expr, const char *what,
                                 int64_t *value, struct ks_err *err);

// A scalar argument's kind, size and bytes, of set(), let() or the sizes. KS_E_USER: it has no value, or one too large.
enum ks_status ks_maker_scalar(struct ks_maker *m, struct ks_arg *arg, struct ks_err *err);

#endif
