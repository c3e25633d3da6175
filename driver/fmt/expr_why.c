// Why an expression is undefined (fmt/expr.h), found by evaluating it and its parts again.
#include <inttypes.h>
#include <stdio.h>

#include "fmt/expr.h"

#define SHOWN 48 // characters of what is at fault

struct scope {
    ks_expr_lookup *lookup;
    void *context;
};

static bool value_of(const struct ks_expr *expr, const struct scope *scope, int64_t *value)
{
    return ks_expr_eval(expr, scope->lookup, scope->context, value);
}

// The innermost part that has no value. What && || ?: leave out is not at fault.
static const struct ks_expr *innermost(const struct ks_expr *expr, const struct scope *scope)
{
    int64_t value;
    bool skip_second = expr->op == KS_X_COND && value_of(expr->kid[0], scope, &value) && value == 0;
    for (int i = 0; i < 4 && expr->kid[i] != NULL; i++)
        if (!(i == 1 && skip_second) && !value_of(expr->kid[i], scope, &value))
            return innermost(expr->kid[i], scope);
    return expr;
}

// What is wrong with an operation whose operands have values.
static void name_fault(const struct ks_expr *expr, const struct scope *scope, char why[64])
{
    int64_t second = 1;
    if (expr->kid[1] != NULL)
        value_of(expr->kid[1], scope, &second);
    switch (expr->op) {
    case KS_X_NAME:
        snprintf(why, 64, "has no value here");
        return;
    case KS_X_DIV:
    case KS_X_MOD:
        snprintf(why, 64, second == 0 ? "divides by zero" : "overflows 64 bits");
        return;
    case KS_X_CEILDIV:
        snprintf(why, 64, second == 0 ? "divides by zero" : "divides by a negative number");
        return;
    case KS_X_SHL:
    case KS_X_SHR:
        snprintf(why, 64, second < 0 || second > 62 ? "shifts by less than 0 or more than 62"
                                                    : "overflows 64 bits");
        return;
    case KS_X_ALIGNED:
        snprintf(why, 64, "asks for an alignment below 1");
        return;
    case KS_X_OVERLAP:
        snprintf(why, 64, "has a negative length, or one past the last address");
        return;
    default:
        snprintf(why, 64, "overflows 64 bits");
    }
}

void ks_expr_explain(const struct ks_expr *expr, ks_expr_lookup *lookup, void *context,
                     char why[KS_EXPR_WHY])
{
    const struct scope scope = {lookup, context};
    struct ks_buf text = KS_BUF(8192); // the parser takes half of that
    int64_t value;
    char fault[64];
    why[0] = '\0';
    if (value_of(expr, &scope, &value))
        return;
    const struct ks_expr *at = innermost(expr, &scope);
    name_fault(at, &scope, fault);
    ks_expr_print(&text, at, NULL, NULL);
    snprintf(why, KS_EXPR_WHY, "`%.*s%s` %s", SHOWN, ks_buf_text(&text), text.len > SHOWN ? "..." : "",
             fault);
    ks_buf_free(&text);
}
