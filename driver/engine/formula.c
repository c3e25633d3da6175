// Reading formulas.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/formula_tree.h"

#define MAX_DEPTH 64

static const char *const calls[] = {"exp",    "log",     "sqrt", "abs", "tanh", "erf", "sin", "cos", "floor", "single", "whole",
                                    "larger", "smaller", "pow",  "div", "mod",  "and", "or",   "xor", "low_product", NULL};
static const char *const overs[] = {"sum", "product", "max", "min", "argmax", "argmin", "max_number", "min_number", NULL};

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
        if (call >= C_LARGER) {
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

static struct node *let(struct parser *p)
{
    const char *name = word(p);
    if (!name)
        return fail(p, "no name");
    want(p, "=");
    struct node *n = make(p, N_LET, expression(p), NULL);
    want(p, ":");
    n->slot = bind_name(p, name);
    n->kid[1] = expression(p);
    p->n_bound -= p->n_bound > 0;
    return n;
}

static struct node *expression(struct parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return fail(p, "too deep");
    if (take(p, "let")) {
        struct node *n = let(p);
        p->depth--;
        return n;
    }
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
        if (!name || s.n_clauses == MAX_CLAUSES || (loop && s.n_loops == MAX_LOOPS)) {
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
