// Printers of fmt/expr.h: canonical text, C++ text, and the names used.
#include <inttypes.h>

#include "fmt/expr_ops.h"

struct printer {
    struct ks_buf *out;
    const char *(*rename)(void *context, const char *name);
    void *context;
};

static void print(const struct printer *p, const struct ks_expr *expr, int least);

static void print_name(const struct printer *p, const char *name)
{
    const char *other = p->rename != NULL ? p->rename(p->context, name) : NULL;
    ks_buf_puts(p->out, other != NULL ? other : name);
}

// The parser makes no negative numbers, but other makers of trees do.
static void print_int(struct ks_buf *out, int64_t value, const char *suffix)
{
    if (value == INT64_MIN)
        ks_buf_printf(out, "(-%" PRId64 "%s - 1)", INT64_MAX, suffix);
    else if (value < 0)
        ks_buf_printf(out, "(%" PRId64 "%s)", value, suffix);
    else
        ks_buf_printf(out, "%" PRId64 "%s", value, suffix);
}

static void print_bare(const struct printer *p, const struct ks_expr *expr)
{
    const struct ks_expr_op_info *info = &ks_expr_ops[expr->op];
    if (expr->op == KS_X_INT) {
        print_int(p->out, expr->value, "");
    } else if (expr->op == KS_X_NAME) {
        print_name(p, expr->name);
    } else if (info->is_call) {
        ks_buf_printf(p->out, "%s(", info->text);
        for (int i = 0; i < info->kids; i++) {
            ks_buf_puts(p->out, i > 0 ? ", " : "");
            print(p, expr->kid[i], 0);
        }
        ks_buf_putc(p->out, ')');
    } else if (expr->op == KS_X_COND) {
        print(p, expr->kid[0], KS_X_PREC_COND + 1);
        ks_buf_puts(p->out, " ? ");
        print(p, expr->kid[1], 0);
        ks_buf_puts(p->out, " : ");
        print(p, expr->kid[2], KS_X_PREC_COND);
    } else if (info->kids == 1) {
        ks_buf_puts(p->out, info->text);
        // "--x" would be read as a decrement by people, and by C.
        bool twice = expr->op == KS_X_NEG && expr->kid[0]->op == KS_X_NEG;
        print(p, expr->kid[0], KS_X_PREC_UNARY + twice);
    } else {
        print(p, expr->kid[0], info->precedence);
        ks_buf_printf(p->out, " %s ", info->text);
        print(p, expr->kid[1], info->precedence + 1);
    }
}

static void print(const struct printer *p, const struct ks_expr *expr, int least)
{
    bool parentheses = ks_expr_ops[expr->op].precedence < least;
    if (parentheses)
        ks_buf_putc(p->out, '(');
    print_bare(p, expr);
    if (parentheses)
        ks_buf_putc(p->out, ')');
}

void ks_expr_print(struct ks_buf *out, const struct ks_expr *expr,
                   const char *(*rename)(void *context, const char *name), void *context)
{
    print(&(struct printer){out, rename, context}, expr, 0);
}

void ks_expr_print_c(struct ks_buf *out, const struct ks_expr *expr,
                     void (*leaf)(void *context, struct ks_buf *out, const char *name),
                     void *context)
{
    const struct ks_expr_op_info *info = &ks_expr_ops[expr->op];
    if (expr->op == KS_X_INT) {
        print_int(out, expr->value, "LL");
    } else if (expr->op == KS_X_NAME) {
        // As a 64-bit operand, ~ of an unsigned int too; and through a call, so that a user's
        // -Wextra does not find `(long long)n >= 0` always true for an unsigned n (-Wtype-limits).
        ks_buf_puts(out, "ks_int_((long long)");
        leaf(context, out, expr->name);
        ks_buf_putc(out, ')');
    } else if (info->helper != NULL) {
        ks_buf_printf(out, "%s(", info->helper);
        for (int i = 0; i < info->kids; i++) {
            bool pointer =
                (expr->op == KS_X_ALIGNED && i == 0) || (expr->op == KS_X_OVERLAP && i % 2 == 0);
            if (pointer) {
                ks_buf_puts(out, "(unsigned long long)");
                leaf(context, out, expr->kid[i]->name);
            } else {
                ks_expr_print_c(out, expr->kid[i], leaf, context);
            }
            ks_buf_puts(out, ", ");
        }
        ks_buf_puts(out, "&bad)");
    } else if (expr->op == KS_X_COND) {
        ks_buf_puts(out, "ks_int_(");
        ks_expr_print_c(out, expr->kid[0], leaf, context);
        ks_buf_puts(out, " ? ");
        ks_expr_print_c(out, expr->kid[1], leaf, context);
        ks_buf_puts(out, " : ");
        ks_expr_print_c(out, expr->kid[2], leaf, context);
        ks_buf_putc(out, ')');
    } else {
        // Comparisons give bool in C++, and arithmetic on bool warns; so does a condition on
        // constants.
        ks_buf_printf(out, "ks_int_(%s", info->kids == 1 ? info->text : "");
        ks_expr_print_c(out, expr->kid[0], leaf, context);
        if (info->kids == 2) {
            ks_buf_printf(out, " %s ", info->text);
            ks_expr_print_c(out, expr->kid[1], leaf, context);
        }
        ks_buf_putc(out, ')');
    }
}

void ks_expr_names(const struct ks_expr *expr, void (*visit)(void *context, const char *name),
                   void *context)
{
    if (expr->op == KS_X_NAME)
        visit(context, expr->name);
    for (int i = 0; i < ks_expr_ops[expr->op].kids; i++)
        ks_expr_names(expr->kid[i], visit, context);
}
