// Calls of functions that are one expression of integers, written out: `gid()` for the global index, `at(x, y, n)` for a
// place in a plane. Each parameter and the result keep the type that the function gives them.
#include <string.h>

#include "engine/reshape.h"
#include "source/lex.h"

enum { PARAMS_MAX = 8 };

struct taken {
    const char *name, *type, *arg;
};
struct caller {
    const struct ks_subject *s;
    struct ks_edit_list *edits;
    struct taken taken[PARAMS_MAX];
    size_t n;
};

// The text of an integer type, or NULL.
static const char *integer(const struct caller *c, const char *text)
{
    struct ks_type type = ks_type_parse(c->s->arena, ks_slice_of(text));
    const char *other = type.elem.size ? NULL : ks_alias_type(&c->s->brief->aliases, type.text);
    if (other)
        type = ks_type_parse(c->s->arena, ks_slice_of(other));
    bool is = !type.pointer && type.elem.lanes == 1 && type.elem.scalar >= KS_T_BOOL && type.elem.scalar <= KS_T_U64;
    return is && !strpbrk(text, "&*[") ? ks_scalar_c_name(type.elem.scalar) : NULL;
}

// Evaluated twice or never it does the same.
static bool is_plain(const struct ks_node *e)
{
    bool plain = e->kind == KS_N_NAME || e->kind == KS_N_NUMBER || e->kind == KS_N_MEMBER || e->kind == KS_N_CAST ||
                 e->kind == KS_N_COND || (e->kind == KS_N_BINARY && strcmp(e->text, ",") != 0) ||
                 (e->kind == KS_N_UNARY && strlen(e->text) == 1 && strchr("+-!~", e->text[0]));
    for (size_t i = 0; plain && i < e->n; i++)
        plain = is_plain(e->kid[i]);
    return plain;
}

// "const int x, unsigned y", each with what the call gives it.
static bool take_params(struct caller *c, const char *params, const struct ks_node *call)
{
    struct ks_arena *arena = c->s->arena;
    struct ks_token *t;
    size_t n = ks_lex_all(arena, ks_slice_of(params), false, &t);
    c->n = 0;
    if (call->n == 1)
        return t[0].kind == KS_TOK_END || (ks_token_is(&t[0], "void") && t[1].kind == KS_TOK_END);
    for (size_t first = 0, i = 0; i < n; i++) {
        if (t[i].kind != KS_TOK_END && !ks_token_is(&t[i], ","))
            continue;
        if (i < first + 2 || t[i - 1].kind != KS_TOK_IDENT || c->n == PARAMS_MAX || c->n + 1 >= call->n)
            return false;
        const char *from = t[first].at;
        const char *type = integer(c, ks_arena_strndup(arena, from, (size_t)(t[i - 1].at - from)));
        const struct ks_node *arg = call->kid[c->n + 1];
        if (!type || !is_plain(arg))
            return false;
        c->taken[c->n++] = (struct taken){ks_token_text(arena, &t[i - 1]), type, ks_node_text(arena, &c->s->body, arg)};
        first = i + 1;
        if (t[i].kind == KS_TOK_END)
            break;
    }
    return c->n + 1 == call->n;
}

static const struct taken *find(const struct caller *c, const struct ks_token *t)
{
    for (size_t i = 0; i < c->n; i++)
        if (ks_token_is(t, c->taken[i].name))
            return &c->taken[i];
    return NULL;
}

static bool is_launch(const struct ks_token *t)
{
    return ks_token_is(t, "threadIdx") || ks_token_is(t, "blockIdx") || ks_token_is(t, "blockDim") ||
           ks_token_is(t, "gridDim");
}

static bool is_operator(const struct ks_token *t)
{
    static const char *const operators[] = {"+",  "-",  "*",  "/",  "%",  "<<", ">>", "&", "|", "^", "~", "!", "(", ")",
                                            "==", "!=", "<=", ">=", "&&", "||", "<",  ">", "?", ":", ".", NULL};
    for (size_t i = 0; operators[i]; i++)
        if (ks_token_is(t, operators[i]))
            return true;
    return false;
}

// The expression with what the call gives; NULL where it names anything but its parameters, the launch and types.
static const char *put_in(const struct caller *c, const char *value)
{
    struct ks_token *t;
    size_t n = ks_lex_all(c->s->arena, ks_slice_of(value), false, &t);
    struct ks_edit_list edits = {0};
    for (size_t i = 0; i < n && t[i].kind != KS_TOK_END; i++) {
        bool member = i > 0 && ks_token_is(&t[i - 1], ".");
        const struct taken *taken = member ? NULL : find(c, &t[i]);
        size_t at = (size_t)(t[i].at - value);
        if (taken)
            ks_edit_add(c->s->arena, &edits, at, at + t[i].len,
                        ks_arena_printf(c->s->arena, "((%s)(%s))", taken->type, taken->arg));
        bool known = taken || (member && i > 1 && is_launch(&t[i - 2])) || is_launch(&t[i]) ||
                     ks_token_is(&t[i], "static_cast") || integer(c, ks_token_text(c->s->arena, &t[i]));
        bool plain = t[i].kind == KS_TOK_NUMBER || is_operator(&t[i]);
        if (t[i].kind == KS_TOK_IDENT ? !known : !plain)
            return NULL;
    }
    return ks_edit_apply(c->s->arena, &edits, ks_slice_of(value), 0, strlen(value));
}

static bool is_declared(const struct caller *c, const char *name)
{
    for (size_t i = 0; i < c->s->decl->n_params; i++)
        if (strcmp(c->s->decl->params[i].name, name) == 0)
            return true;
    return ks_node_find(c->s->body.block, KS_N_VAR, name) != NULL;
}

static bool visit(void *context, struct ks_node *node)
{
    struct caller *c = context;
    struct ks_arena *arena = c->s->arena;
    if (node->kind != KS_N_CALL || node->kid[0]->kind != KS_N_NAME || is_declared(c, node->kid[0]->text))
        return true;
    const struct ks_callee *callee = ks_callee_find(&c->s->brief->callees, node->kid[0]->text);
    const char *type = callee && callee->value ? integer(c, callee->result) : NULL;
    if (!type || strchr(node->kid[0]->text, '<') || !take_params(c, callee->params, node))
        return true;
    const char *text = put_in(c, callee->value);
    if (!text)
        return true;
    ks_edit_add(arena, c->edits, node->begin, node->end, ks_arena_printf(arena, "((%s)(%s))", type, text));
    return false;
}

void ks_inlined_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct caller c = {.s = s, .edits = edits};
    ks_node_walk(s->body.block, visit, &c);
}
