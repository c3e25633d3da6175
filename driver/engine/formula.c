#include "engine/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/vec.h"

#define MAX_DEPTH 64
#define MAX_LOOPS 8

enum node_op {
    N_NUMBER,
    N_SLOT,
    N_ARRAY,
    N_COND,
    N_OR,
    N_AND,
    N_EQ,
    N_NE,
    N_LT,
    N_LE,
    N_GT,
    N_GE,
    N_ADD,
    N_SUB,
    N_MUL,
    N_DIV,
    N_NEG,
    N_NOT,
    N_CALL,
    N_OVER
};

struct node {
    enum node_op op;
    double number;
    size_t slot; // N_SLOT; N_ARRAY: of arrays; N_OVER: of its index
    int call;    // N_CALL, N_OVER: in the tables below
    struct node *kid[3];
};
struct slot { // a number's name: an index, a let, or what the scope knows
    const char *name;
    bool free;
    double value;
};
struct array {
    const char *name;
    struct ks_formula_array is;
};
struct clause { // of a statement, outermost first
    bool loop;
    size_t slot;
    struct node *node; // a loop's count, a let's value
    int64_t count;
};
struct statement {
    struct clause clauses[MAX_LOOPS * 2];
    size_t n_clauses;
    const char *names[MAX_LOOPS];
    size_t n_loops;
    const char *target;
    struct node *at, *value;
};
struct ks_formula {
    KS_VEC(struct slot) slots;
    KS_VEC(struct array) arrays;
    KS_VEC(struct statement) statements;
};

static const char *const calls[] = {"exp",    "log",     "sqrt", "abs", "tanh", "erf", "floor",
                                    "larger", "smaller", "pow",  "div", "mod",  NULL};
enum { FIRST_OF_TWO = 7 };
enum over { O_SUM, O_PRODUCT, O_MAX, O_MIN, O_ARGMAX, O_ARGMIN };
static const char *const overs[] = {"sum", "product", "max", "min", "argmax", "argmin", NULL};

struct parser {
    struct ks_arena *arena;
    struct ks_formula *formula;
    const char *at, *where;
    size_t bound[MAX_DEPTH];
    size_t n_bound; // slots whose names are in scope, innermost last
    int depth;
    struct ks_err *err;
    bool failed;
};

static struct node *fail(struct parser *p, const char *what)
{
    if (!p->failed)
        ks_err_set(p->err, KS_E_USER, "%s: %s in front of \"%.20s\"", p->where, what, p->at);
    p->failed = true;
    return NULL;
}

static void skip(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool take(struct parser *p, const char *text)
{
    skip(p);
    size_t n = strlen(text);
    if (strncmp(p->at, text, n) != 0)
        return false;
    if (isalpha((unsigned char)text[0]) && (isalnum((unsigned char)p->at[n]) || p->at[n] == '_'))
        return false;
    p->at += n;
    return true;
}

static void want(struct parser *p, const char *text)
{
    if (!take(p, text))
        fail(p, ks_arena_printf(p->arena, "\"%s\" is missing", text));
}

static const char *word(struct parser *p)
{
    skip(p);
    const char *from = p->at;
    if (!isalpha((unsigned char)*from) && *from != '_')
        return NULL;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    return ks_arena_strndup(p->arena, from, (size_t)(p->at - from));
}

static struct node *make(struct parser *p, enum node_op op, struct node *a, struct node *b)
{
    struct node *n = KS_NEW(p->arena, struct node);
    *n = (struct node){.op = op, .kid = {a, b}};
    return n;
}

static size_t new_slot(struct parser *p, const char *name, bool is_free)
{
    *ks_vec_push(p->arena, &p->formula->slots) = (struct slot){.name = name, .free = is_free};
    return p->formula->slots.len - 1;
}

// A name that the formula binds from here on.
static size_t bind_name(struct parser *p, const char *name)
{
    size_t slot = new_slot(p, name, false);
    if (p->n_bound == MAX_DEPTH)
        fail(p, "too many names");
    else
        p->bound[p->n_bound++] = slot;
    return slot;
}

static size_t find_slot(struct parser *p, const char *name)
{
    for (size_t i = p->n_bound; i-- > 0;)
        if (strcmp(p->formula->slots.at[p->bound[i]].name, name) == 0)
            return p->bound[i];
    for (size_t i = 0; i < p->formula->slots.len; i++)
        if (p->formula->slots.at[i].free && strcmp(p->formula->slots.at[i].name, name) == 0)
            return i;
    return new_slot(p, name, true);
}

static size_t find_array(struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->formula->arrays.len; i++)
        if (strcmp(p->formula->arrays.at[i].name, name) == 0)
            return i;
    *ks_vec_push(p->arena, &p->formula->arrays) = (struct array){.name = name};
    return p->formula->arrays.len - 1;
}

static int index_of(const char *const *list, const char *name)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return -1;
}

static struct node *expression(struct parser *p);

static struct node *named(struct parser *p, const char *name)
{
    struct node *n;
    if (take(p, "[")) {
        n = make(p, N_ARRAY, expression(p), NULL);
        n->slot = find_array(p, name);
        want(p, "]");
        return n;
    }
    if (!take(p, "(")) {
        n = make(p, N_SLOT, NULL, NULL);
        n->slot = find_slot(p, name);
        return n;
    }
    int call = index_of(calls, name), over = index_of(overs, name);
    if (over >= 0) {
        const char *index = word(p);
        if (!index)
            return fail(p, "an index is missing");
        want(p, "<");
        struct node *count = expression(p);
        want(p, ":");
        n = make(p, N_OVER, count, NULL);
        n->slot = bind_name(p, index);
        n->kid[1] = expression(p);
        n->call = over;
        p->n_bound -= p->n_bound > 0;
    } else if (call >= 0) {
        n = make(p, N_CALL, expression(p), NULL);
        n->call = call;
        if (call >= FIRST_OF_TWO) {
            want(p, ",");
            n->kid[1] = expression(p);
        }
    } else {
        return fail(p, ks_arena_printf(p->arena, "no function %s", name));
    }
    want(p, ")");
    return n;
}

static struct node *primary(struct parser *p)
{
    skip(p);
    if (p->failed || ++p->depth > MAX_DEPTH)
        return fail(p, "too deep");
    struct node *n;
    if (take(p, "(")) {
        n = expression(p);
        want(p, ")");
    } else if (take(p, "-")) {
        n = make(p, N_NEG, primary(p), NULL);
    } else if (take(p, "!")) {
        n = make(p, N_NOT, primary(p), NULL);
    } else if (isdigit((unsigned char)*p->at)) {
        char *end;
        n = make(p, N_NUMBER, NULL, NULL);
        n->number = strtod(p->at, &end);
        p->at = end + (*end == 'f');
    } else {
        const char *name = word(p);
        n = name ? named(p, name) : fail(p, "a value is missing");
    }
    p->depth--;
    return n;
}

static struct node *product(struct parser *p)
{
    struct node *n = primary(p);
    while (!p->failed) {
        if (take(p, "*"))
            n = make(p, N_MUL, n, primary(p));
        else if (take(p, "/"))
            n = make(p, N_DIV, n, primary(p));
        else
            break;
    }
    return n;
}

static struct node *sum(struct parser *p)
{
    struct node *n = product(p);
    while (!p->failed) {
        if (take(p, "+"))
            n = make(p, N_ADD, n, product(p));
        else if (take(p, "-"))
            n = make(p, N_SUB, n, product(p));
        else
            break;
    }
    return n;
}

static struct node *comparison(struct parser *p)
{
    static const char *const words[] = {"==", "!=", "<=", ">=", "<", ">", NULL};
    static const enum node_op ops[] = {N_EQ, N_NE, N_LE, N_GE, N_LT, N_GT};
    struct node *n = sum(p);
    for (int i = 0; words[i] && !p->failed; i++)
        if (take(p, words[i]))
            return make(p, ops[i], n, sum(p));
    return n;
}

static struct node *conjunction(struct parser *p)
{
    struct node *n = comparison(p);
    while (!p->failed && take(p, "&&"))
        n = make(p, N_AND, n, comparison(p));
    return n;
}

static struct node *expression(struct parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return fail(p, "too deep");
    struct node *n = conjunction(p);
    while (!p->failed && take(p, "||"))
        n = make(p, N_OR, n, conjunction(p));
    if (!p->failed && take(p, "?")) {
        n = make(p, N_COND, n, expression(p));
        want(p, ":");
        n->kid[2] = expression(p);
    }
    p->depth--;
    return n;
}

static void statement(struct parser *p)
{
    struct statement s = {0};
    p->n_bound = 0;
    for (;;) {
        bool loop = take(p, "for");
        if (!loop && !take(p, "let"))
            break;
        const char *name = word(p);
        if (!name || s.n_clauses == MAX_LOOPS * 2 || (loop && s.n_loops == MAX_LOOPS)) {
            fail(p, "no name, or too many loops");
            return;
        }
        want(p, loop ? "<" : "=");
        struct clause *c = &s.clauses[s.n_clauses++];
        *c = (struct clause){.loop = loop, .node = expression(p)};
        c->slot = bind_name(p, name);
        if (loop)
            s.names[s.n_loops++] = name;
        want(p, ":");
    }
    s.target = word(p);
    if (!s.target) {
        fail(p, "the array that is written is missing");
        return;
    }
    want(p, "[");
    s.at = expression(p);
    want(p, "]");
    want(p, "=");
    s.value = expression(p);
    if (!p->failed)
        *ks_vec_push(p->arena, &p->formula->statements) = s;
}

enum ks_status ks_formula_parse(struct ks_arena *arena, const char *where, const char *text,
                                struct ks_formula **formula, struct ks_err *err)
{
    struct parser p = {.arena = arena,
                       .formula = KS_NEW(arena, struct ks_formula),
                       .at = text,
                       .where = where,
                       .err = err};
    *p.formula = (struct ks_formula){0};
    do
        statement(&p);
    while (!p.failed && take(&p, ";"));
    skip(&p);
    if (!p.failed && *p.at)
        fail(&p, "no more is expected");
    *formula = p.formula;
    return p.failed ? KS_E_USER : KS_OK;
}

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

static double call(int which, double a, double b)
{
    switch (which) {
    case 0:
        return exp(a);
    case 1:
        return log(a);
    case 2:
        return sqrt(a);
    case 3:
        return fabs(a);
    case 4:
        return tanh(a);
    case 5:
        return erf(a);
    case 6:
        return floor(a);
    case 7:
        return a < b ? b : a;
    case 8:
        return b < a ? b : a;
    case 9:
        return pow(a, b);
    case 10:
        return b == 0 ? NAN : floor(a / b);
    default:
        return b == 0 ? NAN : a - b * floor(a / b);
    }
}

static double over(struct ks_formula *f, const struct node *n)
{
    double count = eval(f, n->kid[0]), result = n->call == O_PRODUCT, best = 0;
    for (double i = 0; i < count; i++) {
        f->slots.at[n->slot].value = i;
        double v = eval(f, n->kid[1]);
        bool better = i == 0 || (n->call % 2 == 0 ? v > best : v < best);
        switch (n->call) {
        case O_SUM:
            result += v;
            break;
        case O_PRODUCT:
            result *= v;
            break;
        case O_MAX:
        case O_MIN:
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
        return call(n->call, a, n->kid[1] ? eval(f, n->kid[1]) : 0);
    case N_OVER:
        return over(f, n);
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
        return a + b;
    case N_SUB:
        return a - b;
    case N_MUL:
        return a * b;
    default:
        return a / b;
    }
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
    return true;
}
