// The operators of fmt/expr.h as data, shared by its parser, printer and evaluator.
#ifndef KS_EXPR_OPS_H
#define KS_EXPR_OPS_H

#include "fmt/expr.h"

enum { KS_X_PREC_COND = 1, KS_X_PREC_UNARY = 12, KS_X_PREC_LEAF = 13 };

struct ks_expr_op_info {
    const char *text;   // as written; for calls the function's name
    const char *helper; // the C helper that computes it, or NULL where C's own operator is total
    int precedence;     // C's, 1 (?:) to 13 (names, numbers, calls)
    int kids;           // how many operands
    bool is_call;
};

extern const struct ks_expr_op_info ks_expr_ops[KS_X_OVERLAP + 1];

#endif
