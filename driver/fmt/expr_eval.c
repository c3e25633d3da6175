// Evaluation of fmt/expr.h, and the same arithmetic as C++ text for the objects we emit. The two
// stand in one file because they must never disagree: tests/unit/test_expr.c compiles the text and
// compares it with the evaluator on random trees.
#include "base/num.h"
#include "fmt/expr_ops.h"

struct scope {
    ks_expr_lookup *lookup;
    void *context;
};

static bool eval(const struct ks_expr *expr, const struct scope *scope, int64_t *value);

static bool divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *quotient = a / b;
    *rest = a % b;
    return true;
}

static bool eval_arithmetic(enum ks_expr_op op, int64_t a, int64_t b, int64_t *value)
{
    int64_t quotient, rest;
    switch (op) {
    case KS_X_ADD:
        return ks_add_i64(a, b, value);
    case KS_X_SUB:
        return ks_sub_i64(a, b, value);
    case KS_X_MUL:
        return ks_mul_i64(a, b, value);
    case KS_X_DIV:
        return divide(a, b, value, &rest);
    case KS_X_MOD:
        return divide(a, b, &quotient, value);
    case KS_X_SHL: // multiplication by 2^b: undefined where bits would be lost
        return b >= 0 && b <= 62 && ks_mul_i64(a, INT64_C(1) << b, value);
    case KS_X_SHR: // floor(a / 2^b)
        *value = b >= 0 && b <= 62 ? a >> b : 0;
        return b >= 0 && b <= 62;
    case KS_X_CEILDIV:
        if (b <= 0)
            return false;
        *value = a / b + (a % b > 0);
        return true;
    case KS_X_MIN:
        *value = a < b ? a : b;
        return true;
    case KS_X_MAX:
        *value = a > b ? a : b;
        return true;
    case KS_X_AND:
        *value = a & b;
        return true;
    case KS_X_OR:
        *value = a | b;
        return true;
    case KS_X_XOR:
        *value = a ^ b;
        return true;
    case KS_X_LT:
        *value = a < b;
        return true;
    case KS_X_LE:
        *value = a <= b;
        return true;
    case KS_X_GT:
        *value = a > b;
        return true;
    case KS_X_GE:
        *value = a >= b;
        return true;
    case KS_X_EQ:
        *value = a == b;
        return true;
    case KS_X_NE:
        *value = a != b;
        return true;
    case KS_X_ALIGNED: // a is an address
        *value = b > 0 && (uint64_t)a % (uint64_t)b == 0;
        return b > 0;
    default:
        return false;
    }
}

static bool eval_overlap(const struct ks_expr *expr, const struct scope *scope, int64_t *value)
{
    int64_t v[4];
    for (int i = 0; i < 4; i++)
        if (!eval(expr->kid[i], scope, &v[i]))
            return false;
    uint64_t p = (uint64_t)v[0], p_end, q = (uint64_t)v[2], q_end;
    if (v[1] < 0 || v[3] < 0 || __builtin_add_overflow(p, (uint64_t)v[1], &p_end) ||
        __builtin_add_overflow(q, (uint64_t)v[3], &q_end))
        return false;
    *value = v[1] > 0 && v[3] > 0 && p < q_end && q < p_end;
    return true;
}

static bool eval(const struct ks_expr *expr, const struct scope *scope, int64_t *value)
{
    int64_t a, b;
    switch (expr->op) {
    case KS_X_INT:
        *value = expr->value;
        return true;
    case KS_X_NAME:
        return scope->lookup != NULL && scope->lookup(scope->context, expr->name, value);
    case KS_X_NEG:
        return eval(expr->kid[0], scope, &a) && ks_sub_i64(0, a, value);
    case KS_X_NOT:
        if (!eval(expr->kid[0], scope, &a))
            return false;
        *value = !a;
        return true;
    case KS_X_COMPL:
        if (!eval(expr->kid[0], scope, &a))
            return false;
        *value = ~a;
        return true;
    case KS_X_LAND:
    case KS_X_LOR:
        if (!eval(expr->kid[0], scope, &a))
            return false;
        if ((a != 0) == (expr->op == KS_X_LAND)) {
            if (!eval(expr->kid[1], scope, &a))
                return false;
        }
        *value = a != 0;
        return true;
    case KS_X_COND:
        return eval(expr->kid[0], scope, &a) && eval(expr->kid[a != 0 ? 1 : 2], scope, value);
    case KS_X_OVERLAP:
        return eval_overlap(expr, scope, value);
    default:
        return eval(expr->kid[0], scope, &a) && eval(expr->kid[1], scope, &b) &&
               eval_arithmetic(expr->op, a, b, value);
    }
}

bool ks_expr_eval(const struct ks_expr *expr, ks_expr_lookup *lookup, void *context, int64_t *value)
{
    int64_t result; // *value stays as it was when undefined
    if (!eval(expr, &(struct scope){lookup, context}, &result))
        return false;
    *value = result;
    return true;
}

bool ks_expr_holds(const struct ks_expr *expr, ks_expr_lookup *lookup, void *context)
{
    int64_t value;
    return ks_expr_eval(expr, lookup, context, &value) && value != 0;
}

// C++11, no header needed, host only. Each helper returns 0 and sets *bad where eval() says
// undefined; evaluation may go on with that 0, since *bad never goes back. The attribute: a program
// need not call all of them, and nvcc's #177-D is an error for users of -Werror.
// clang-format off
#define HELPER "__attribute__((unused)) static inline long long "
#define ARGS "(long long a, long long b, bool *bad) {\n    "
#define REFUSE "{ *bad = true; return 0; }\n    "

const char *ks_expr_c_helpers(void)
{
    return HELPER "ks_int_(long long a) { return a; }\n"
           HELPER "ks_min_(long long a, long long b, bool *) { return a < b ? a : b; }\n"
           HELPER "ks_max_(long long a, long long b, bool *) { return a > b ? a : b; }\n"
           HELPER "ks_add_" ARGS "long long r;\n    "
                  "if (__builtin_saddll_overflow(a, b, &r)) " REFUSE "return r;\n}\n"
           HELPER "ks_sub_" ARGS "long long r;\n    "
                  "if (__builtin_ssubll_overflow(a, b, &r)) " REFUSE "return r;\n}\n"
           HELPER "ks_mul_" ARGS "long long r;\n    "
                  "if (__builtin_smulll_overflow(a, b, &r)) " REFUSE "return r;\n}\n"
           HELPER "ks_neg_(long long a, bool *bad) { return ks_sub_(0, a, bad); }\n"
           HELPER "ks_div_" ARGS "if (b == 0 || (b == -1 && a < -__LONG_LONG_MAX__)) " REFUSE
                  "return a / b;\n}\n"
           HELPER "ks_mod_" ARGS "if (b == 0 || (b == -1 && a < -__LONG_LONG_MAX__)) " REFUSE
                  "return a % b;\n}\n"
           HELPER "ks_shl_" ARGS "if (b < 0 || b > 62) " REFUSE
                  "return ks_mul_(a, 1LL << b, bad);\n}\n"
           HELPER "ks_shr_" ARGS "if (b < 0 || b > 62) " REFUSE "return a >> b;\n}\n"
           HELPER "ks_ceildiv_" ARGS "if (b <= 0) " REFUSE "return a / b + (a % b > 0);\n}\n"
           HELPER "ks_aligned_(unsigned long long p, long long k, bool *bad) {\n    "
                  "if (k <= 0) " REFUSE "return p % (unsigned long long)k == 0;\n}\n"
           HELPER "ks_overlap_(unsigned long long p, long long n,\n"
                  "    unsigned long long q, long long m, bool *bad) {\n    "
                  "unsigned long long p_end = p + (unsigned long long)n;\n    "
                  "unsigned long long q_end = q + (unsigned long long)m;\n    "
                  "if (n < 0 || m < 0 || p_end < p || q_end < q) " REFUSE
                  "return n > 0 && m > 0 && p < q_end && q < p_end;\n}\n";
}
// clang-format on
