// Evaluating formulas in double.
#include <float.h>
#include <math.h>

#include "base/num.h"
#include "engine/formula_tree.h"

enum ks_status ks_formula_bind(struct ks_formula *f, const char *where,
                               const struct ks_formula_scope *scope, struct ks_err *err)
{
    ks_vec_each (struct slot, s, &f->slots)
        if (s->free && !scope->number(scope->context, s->name, &s->value))
            KS_FAIL(err, KS_E_USER, "%s: nothing stands for %s", where, s->name);
    ks_vec_each (struct array, a, &f->arrays)
        if (!scope->array(scope->context, a->name, &a->is))
            KS_FAIL(err, KS_E_USER, "%s: no array %s", where, a->name);
    return KS_OK;
}

static double eval(struct ks_formula *f, const struct node *n);

static double noted(struct ks_formula *f, double v)
{
    f->beyond |= fabs(v) > (double)FLT_MAX;
    return v;
}

// Of whole numbers that are exact in double; the product's lower 32 bits.
static double bits(int which, double a, double b)
{
    const double most = 0x1p53;
    if (!(fabs(a) <= most && fabs(b) <= most))
        return NAN;
    const int64_t x = (int64_t)a, y = (int64_t)b;
    switch (which) {
    case C_AND:
        return (double)(x & y);
    case C_OR:
        return (double)(x | y);
    case C_XOR:
        return (double)(x ^ y);
    default:
        return (uint32_t)((uint64_t)x * (uint64_t)y);
    }
}

static double call(int which, double a, double b)
{
    switch (which) {
    case C_EXP:
        return exp(a);
    case C_LOG:
        return log(a);
    case C_SQRT:
        return sqrt(a);
    case C_ABS:
        return fabs(a);
    case C_TANH:
        return tanh(a);
    case C_ERF:
        return erf(a);
    case C_SIN:
        return sin(a);
    case C_COS:
        return cos(a);
    case C_FLOOR:
        return floor(a);
    case C_SINGLE:
        return (double)(float)a;
    case C_WHOLE:
        return isnan(a) ? 0 : trunc(a);
    case C_LARGER:
        return a < b ? b : a;
    case C_SMALLER:
        return b < a ? b : a;
    case C_POW:
        return pow(a, b);
    case C_DIV:
        return b == 0 ? NAN : floor(a / b);
    case C_MOD:
        return b == 0 ? NAN : a - b * floor(a / b);
    default:
        return bits(which, a, b);
    }
}

static double over(struct ks_formula *f, const struct node *n)
{
    double count = eval(f, n->kid[0]), result = n->call == O_PRODUCT, best = 0;
    for (double i = 0; i < count && f->turns < KS_FORMULA_TURNS; i++) {
        f->turns++;
        f->slots.at[n->slot].value = i;
        double v = eval(f, n->kid[1]);
        const bool first = i == 0 || (n->call >= O_MAX_NUMBER && isnan(best));
        const bool better = first || (n->call % 2 == 0 ? v > best : v < best);
        switch (n->call) {
        case O_SUM:
            result = noted(f, result + v);
            break;
        case O_PRODUCT:
            result = noted(f, result * v);
            break;
        case O_MAX:
        case O_MIN:
        case O_MAX_NUMBER:
        case O_MIN_NUMBER:
            result = better ? v : result;
            break;
        default:
            result = better ? i : result;
            break;
        }
        best = better ? v : best;
    }
    return result;
}

static double element(const struct array *a, double at)
{
    if (a->is.at == NULL)
        return 0;
    return at >= 0 && at < (double)a->is.n ? a->is.at[(int64_t)at] : NAN;
}

static double eval(struct ks_formula *f, const struct node *n)
{
    double a;
    switch (n->op) {
    case N_NUMBER:
        return n->number;
    case N_SLOT:
        return f->slots.at[n->slot].value;
    case N_ARRAY:
        return element(&f->arrays.at[n->slot], eval(f, n->kid[0]));
    case N_COND:
        return eval(f, n->kid[0]) != 0 ? eval(f, n->kid[1]) : eval(f, n->kid[2]);
    case N_OR:
        return eval(f, n->kid[0]) != 0 || eval(f, n->kid[1]) != 0;
    case N_AND:
        return eval(f, n->kid[0]) != 0 && eval(f, n->kid[1]) != 0;
    case N_NEG:
        return -eval(f, n->kid[0]);
    case N_NOT:
        return eval(f, n->kid[0]) == 0;
    case N_CALL:
        a = eval(f, n->kid[0]);
        return noted(f, call(n->call, a, n->kid[1] ? eval(f, n->kid[1]) : 0));
    case N_OVER:
        return over(f, n);
    case N_LET:
        a = eval(f, n->kid[0]);
        f->slots.at[n->slot].value = a;
        return eval(f, n->kid[1]);
    default:
        break;
    }
    a = eval(f, n->kid[0]);
    double b = eval(f, n->kid[1]);
    switch (n->op) {
    case N_EQ:
        return a == b;
    case N_NE:
        return a != b;
    case N_LT:
        return a < b;
    case N_LE:
        return a <= b;
    case N_GT:
        return a > b;
    case N_GE:
        return a >= b;
    case N_ADD:
        return noted(f, a + b);
    case N_SUB:
        return noted(f, a - b);
    case N_MUL:
        return noted(f, a * b);
    default:
        return noted(f, a / b);
    }
}

bool ks_formula_is_beyond(const struct ks_formula *f)
{
    return f->beyond;
}

size_t ks_formula_statements(const struct ks_formula *f)
{
    return f->statements.len;
}

const char *ks_formula_target(const struct ks_formula *f, size_t statement)
{
    return f->statements.at[statement].target;
}

size_t ks_formula_loops(const struct ks_formula *f, size_t statement, const char *const **names)
{
    *names = f->statements.at[statement].names;
    return f->statements.at[statement].n_loops;
}

int64_t ks_formula_count(struct ks_formula *f, size_t statement)
{
    struct statement *s = &f->statements.at[statement];
    int64_t total = 1;
    f->turns = 0;
    for (size_t i = 0; i < s->n_clauses; i++) {
        struct clause *c = &s->clauses[i];
        if (!c->loop)
            continue;
        double count = eval(f, c->node);
        if (!(count >= 0 && count < 1e15) || __builtin_mul_overflow(total, (int64_t)count, &total))
            return -1;
        c->count = (int64_t)count;
    }
    return total;
}

bool ks_formula_element(struct ks_formula *f, size_t statement, int64_t nth, int64_t *at,
                        double *value, int64_t *indices)
{
    struct statement *s = &f->statements.at[statement];
    size_t loop = s->n_loops;
    f->turns = 0;
    f->beyond = false;
    for (size_t i = s->n_clauses; i-- > 0;) {
        struct clause *c = &s->clauses[i];
        if (!c->loop)
            continue;
        int64_t index = c->count > 0 ? nth % c->count : 0;
        nth = c->count > 0 ? nth / c->count : 0;
        f->slots.at[c->slot].value = (double)index;
        loop--;
        if (indices)
            indices[loop] = index;
    }
    for (size_t i = 0; i < s->n_clauses; i++)
        if (!s->clauses[i].loop)
            f->slots.at[s->clauses[i].slot].value = eval(f, s->clauses[i].node);
    double place = eval(f, s->at);
    if (!(place >= 0 && place < 1e15))
        return false;
    *at = (int64_t)place;
    *value = eval(f, s->value);
    return f->turns < KS_FORMULA_TURNS;
}
