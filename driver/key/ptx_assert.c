// Finds where assert() left its place in the code: __assertfail(message, file, line, function, size).
// File, line and function are no part of what a kernel computes, and the file is the path of the
// checkout. The strings reach the call by "mov R, string; cvta.global S, R; st.param [p], S"; they are
// blanked only where nothing else looks at R and S, so that a program that computes with __FILE__ or
// __LINE__ keeps them.
#include "key/ptx_text.h"

#include <stdlib.h>

enum { FILE_NAME = 1, LINE, FUNCTION }; // among the five arguments

struct statement {
    struct ks_ptx_token op;      // or a brace
    size_t operand, n_operands;  // in the token list
    bool predicated;
};

struct occurrence {
    struct ks_slice name;
    size_t total;  // of the register in the body
    size_t vanish; // of these, arguments that are blanked, or what only feeds one
};

struct body {
    struct ks_arena *arena;
    KS_VEC(struct ks_ptx_token) tokens;
    KS_VEC(struct statement) statements;
    struct occurrence *registers;
    size_t n_registers, cap;
    KS_VEC(const char *) places;
};

static struct occurrence *occurrence(struct body *body, const struct ks_ptx_token *word)
{
    struct ks_slice name = {word->at, word->len};
    size_t at = ks_ptx_hash(name) & (body->cap - 1);
    while (body->registers[at].name.at != NULL &&
           (body->registers[at].name.len != name.len ||
            memcmp(body->registers[at].name.at, name.at, name.len) != 0))
        at = (at + 1) & (body->cap - 1);
    body->registers[at].name = name;
    return &body->registers[at];
}

static bool is_register(const struct ks_ptx_token *token)
{
    return token->kind == KS_PTX_WORD && token->at[0] == '%';
}

static void read_statements(struct body *body, struct ks_slice text)
{
    struct ks_ptx_scan scan = {text.at, text.at + text.len};
    bool open = false;
    struct statement *statement = NULL;
    bool predicate = false;
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(&scan);
        if (token.kind == KS_PTX_END || token.kind == KS_PTX_BAD)
            return;
        if (!open && token.kind == KS_PTX_WORD &&
            (ks_ptx_is(&token, ".loc") || ks_ptx_is(&token, ".file"))) {
            ks_ptx_skip_line(&scan);
            continue;
        }
        if (!open) {
            if (ks_ptx_is_char(&token, ';') || ks_ptx_is_char(&token, ':'))
                continue;
            if (ks_ptx_is_char(&token, '@') || ks_ptx_is_char(&token, '!')) {
                predicate = true;
                continue;
            }
            if (predicate && is_register(&token)) {
                *ks_vec_push(body->arena, &body->tokens) = token; // counts as an occurrence
                continue;
            }
            if (token.kind == KS_PTX_WORD) {
                ks_ptx_skip_space(&scan);
                if (scan.at < scan.end && *scan.at == ':')
                    continue; // a label
            }
            statement = ks_vec_push(body->arena, &body->statements);
            *statement = (struct statement){
                .op = token, .operand = body->tokens.len, .predicated = predicate};
            predicate = false;
            open = token.kind == KS_PTX_WORD;
            continue;
        }
        if (ks_ptx_is_char(&token, ';')) {
            open = false;
            continue;
        }
        *ks_vec_push(body->arena, &body->tokens) = token;
        statement->n_operands++;
    }
}

static void count_registers(struct body *body)
{
    body->cap = 64;
    while (body->cap < body->tokens.len * 2)
        body->cap *= 2;
    body->registers = KS_NEW_ARRAY(body->arena, struct occurrence, body->cap);
    ks_vec_each (struct ks_ptx_token, token, &body->tokens)
        if (is_register(token))
            occurrence(body, token)->total++;
}

// "OP first, second": the two operands, else false.
static bool pair(struct body *body, const struct statement *s, struct ks_ptx_token **first,
                 struct ks_ptx_token **second)
{
    struct ks_ptx_token *t = body->tokens.at + s->operand;
    if (s->predicated || s->n_operands != 3 || !is_register(&t[0]) || !ks_ptx_is_char(&t[1], ','))
        return false;
    *first = &t[0];
    *second = &t[2];
    return true;
}

// "st.param.b64 [NAME+0], VALUE": name and value, else false.
static bool store_param(struct body *body, const struct statement *s, struct ks_ptx_token **name,
                        struct ks_ptx_token **value)
{
    struct ks_ptx_token *t = body->tokens.at + s->operand;
    size_t n = s->n_operands;
    if (!ks_ptx_begins(&s->op, "st.param.b") || s->predicated || (n != 5 && n != 7) ||
        !ks_ptx_is_char(&t[0], '[') || !ks_ptx_is_char(&t[n - 3], ']') ||
        !ks_ptx_is_char(&t[n - 2], ','))
        return false;
    *name = &t[1];
    *value = &t[n - 1];
    return true;
}

static void place(struct body *body, const struct ks_ptx_token *token)
{
    *ks_vec_push(body->arena, &body->places) = token->at;
}

static bool names(const struct ks_ptx_token *a, const struct ks_ptx_token *b)
{
    return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

static bool is_brace(const struct statement *s)
{
    return ks_ptx_is_char(&s->op, '{') || ks_ptx_is_char(&s->op, '}');
}

// The one store to an argument in the call's own block, where the argument is declared and nothing
// but the call uses it; NULL when it is not as simple as that.
static struct ks_ptx_token *stored_value(struct body *body, size_t call,
                                         const struct ks_ptx_token *arg)
{
    struct ks_ptx_token *value = NULL, *name, *stored;
    bool declared = false;
    for (size_t i = call; i-- > 0 && !is_brace(&body->statements.at[i]);) {
        const struct statement *s = &body->statements.at[i];
        bool used = false;
        for (size_t k = 0; k < s->n_operands; k++)
            used |= names(&body->tokens.at[s->operand + k], arg);
        if (!used)
            continue;
        if (ks_ptx_is(&s->op, ".param") && !declared)
            declared = true;
        else if (!declared && value == NULL && store_param(body, s, &name, &stored) &&
                 names(name, arg) && !names(stored, arg))
            value = stored;
        else
            return NULL;
    }
    for (size_t i = call + 1; i < body->statements.len; i++) {
        const struct statement *s = &body->statements.at[i];
        if (is_brace(s))
            return declared && ks_ptx_is_char(&s->op, '}') ? value : NULL;
        for (size_t k = 0; k < s->n_operands; k++)
            if (names(&body->tokens.at[s->operand + k], arg))
                return NULL;
    }
    return NULL;
}

// Arguments that are registers are counted where they vanish; a line number is blanked at once.
static void look_at_call(struct body *body, size_t call)
{
    const struct statement *s = &body->statements.at[call];
    const struct ks_ptx_token *t = body->tokens.at + s->operand;
    // __assertfail , ( a , b , c , d , e )
    if (s->predicated || s->n_operands != 13 || !ks_ptx_is(&t[0], "__assertfail") ||
        !ks_ptx_is_char(&t[2], '('))
        return;
    for (int arg = FILE_NAME; arg <= FUNCTION; arg++) {
        struct ks_ptx_token *value = stored_value(body, call, &t[3 + 2 * arg]);
        if (value != NULL && is_register(value))
            occurrence(body, value)->vanish++;
        else if (value != NULL && arg == LINE)
            place(body, value);
    }
}

static int by_address(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return x < y ? -1 : x > y;
}

const char **ks_ptx_assert_places(struct ks_arena *arena, struct ks_slice text)
{
    if (memmem(text.at, text.len, "__assertfail", 12) == NULL)
        return NULL;
    struct body body = {.arena = arena};
    read_statements(&body, text);
    count_registers(&body);
    for (size_t i = 0; i < body.statements.len; i++)
        if (ks_ptx_begins(&body.statements.at[i].op, "call"))
            look_at_call(&body, i);

    struct ks_ptx_token *to, *from;
    // S of "cvta.global S, R": one definition, and every other occurrence an assert's argument.
    ks_vec_each (struct statement, s, &body.statements)
        if (ks_ptx_is(&s->op, "cvta.global.u64") && pair(&body, s, &to, &from) &&
            is_register(from)) {
            struct occurrence *o = occurrence(&body, to);
            if (o->vanish > 0 && o->total == o->vanish + 1)
                occurrence(&body, from)->vanish++;
        }
    ks_vec_each (struct statement, s, &body.statements)
        if (ks_ptx_begins(&s->op, "mov.") && pair(&body, s, &to, &from) && !is_register(from)) {
            struct occurrence *o = occurrence(&body, to);
            if (o->vanish > 0 && o->total == o->vanish + 1)
                place(&body, from);
        }
    if (body.places.len == 0)
        return NULL;
    qsort(body.places.at, body.places.len, sizeof *body.places.at, by_address);
    *ks_vec_push(arena, &body.places) = NULL;
    return body.places.at;
}
