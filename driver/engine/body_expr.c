#include <string.h>

#include "engine/body_parse.h"

// Deeper nesting than any kernel of the corpus has; bounds the recursion.
enum { MAX_DEPTH = 200 };

static const struct {
    const char *text;
    int level; // higher binds tighter
} binary_ops[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10},
};

static const char *const assign_ops[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};

static struct ks_node *assignment(struct ks_body_parser *p);
static struct ks_node *unary(struct ks_body_parser *p);

static int level_of(const struct ks_token *token, const char **text)
{
    if (token->kind != KS_TOK_PUNCT)
        return 0;
    for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
        if (ks_token_is(token, binary_ops[i].text)) {
            *text = binary_ops[i].text;
            return binary_ops[i].level;
        }
    return 0;
}

static struct ks_node *arguments(struct ks_body_parser *p, struct ks_node *node, const char *close)
{
    while (!ks_bp_is(p, 0, close)) {
        struct ks_node *kid = assignment(p);
        if (!kid)
            return NULL;
        ks_bp_add(p, node, kid);
        if (!ks_bp_take(p, ","))
            break;
    }
    if (!ks_bp_take(p, close)) {
        ks_bp_refuse(p, "argument list");
        return NULL;
    }
    return ks_bp_close(p, node);
}

static struct ks_node *brace_list(struct ks_body_parser *p)
{
    struct ks_node *node = ks_bp_node(p, KS_N_LIST, "", p->at);
    p->at++;
    return arguments(p, node, "}");
}

// Tokens of "<...>" from `ahead` when it reads as template arguments followed by '(', '{' or '::', as in
// f<float, 4>(x). Only names, numbers, commas, stars and '::' may stand between.
static size_t template_arguments(const struct ks_body_parser *p, size_t ahead)
{
    size_t i = ahead + 1;
    for (; !ks_bp_is(p, i, ">"); i++) {
        const struct ks_token *t = ks_bp_peek(p, i);
        bool fine = t->kind == KS_TOK_IDENT || t->kind == KS_TOK_NUMBER || ks_token_is(t, ",") ||
                    ks_token_is(t, "*") || ks_token_is(t, "::");
        if (!fine || i - ahead > 24)
            return 0;
    }
    bool goes_on = ks_bp_is(p, i + 1, "(") || ks_bp_is(p, i + 1, "{") || ks_bp_is(p, i + 1, "::");
    return goes_on ? i + 1 - ahead : 0;
}

static const char *joined(struct ks_body_parser *p, size_t first, size_t n)
{
    struct ks_buf buf = KS_BUF(4096);
    for (size_t i = 0; i < n; i++)
        ks_buf_puts(&buf, ks_token_text(p->arena, &p->tokens[first + i]));
    const char *text = ks_arena_strdup(p->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

static struct ks_node *name(struct ks_body_parser *p)
{
    size_t first = p->at;
    if (ks_bp_is(p, 0, "::"))
        p->at++;
    for (;;) {
        if (ks_bp_peek(p, 0)->kind != KS_TOK_IDENT) {
            ks_bp_refuse(p, "name");
            return NULL;
        }
        p->at++;
        if (ks_bp_is(p, 0, "<"))
            p->at += template_arguments(p, 0);
        if (!ks_bp_is(p, 0, "::"))
            break;
        p->at++;
    }
    return ks_bp_close(p, ks_bp_node(p, KS_N_NAME, joined(p, first, p->at - first), first));
}

static bool starts_operand(const struct ks_body_parser *p, size_t ahead)
{
    const struct ks_token *t = ks_bp_peek(p, ahead);
    return t->kind == KS_TOK_IDENT || t->kind == KS_TOK_NUMBER || t->kind == KS_TOK_STRING;
}

// "(type) operand". A name that may be a typedef counts only where nothing but an operand follows.
static struct ks_node *cast(struct ks_body_parser *p)
{
    size_t n = ks_bp_type(p, 1, true);
    bool known = n && ks_bp_is(p, 1 + n, ")");
    if (!known) {
        n = ks_bp_type(p, 1, false);
        if (!n || !ks_bp_is(p, 1 + n, ")") || !starts_operand(p, 2 + n))
            return NULL;
    }
    size_t first = p->at;
    struct ks_node *node = ks_bp_node(p, KS_N_CAST, ks_bp_type_text(p, first + 1, n), first);
    p->at += n + 2;
    struct ks_node *kid = unary(p);
    if (!kid)
        return NULL;
    ks_bp_add(p, node, kid);
    return ks_bp_close(p, node);
}

static bool is_named_cast(const struct ks_body_parser *p)
{
    return (ks_bp_is(p, 0, "static_cast") || ks_bp_is(p, 0, "reinterpret_cast") ||
            ks_bp_is(p, 0, "const_cast")) &&
           ks_bp_is(p, 1, "<");
}

// static_cast<type>(x) and its like, and float(x) on builtin types.
static struct ks_node *functional_cast(struct ks_body_parser *p, size_t type_ahead, size_t n,
                                       size_t open_ahead)
{
    size_t first = p->at;
    struct ks_node *node =
        ks_bp_node(p, KS_N_CAST, ks_bp_type_text(p, first + type_ahead, n), first);
    p->at += open_ahead + 1;
    struct ks_node *kid = ks_bp_expression(p, false);
    if (!kid)
        return NULL;
    ks_bp_add(p, node, kid);
    if (!ks_bp_take(p, ")")) {
        ks_bp_refuse(p, "cast with several operands");
        return NULL;
    }
    return ks_bp_close(p, node);
}

static struct ks_node *primary(struct ks_body_parser *p)
{
    const struct ks_token *t = ks_bp_peek(p, 0);
    size_t first = p->at;
    if (t->kind == KS_TOK_STRING && t->at[0] != '\'') { // no proposal may hold it
        ks_bp_refuse(p, "a string");
        return NULL;
    }
    if (t->kind == KS_TOK_NUMBER || t->kind == KS_TOK_STRING) {
        p->at++;
        return ks_bp_close(p, ks_bp_node(p, KS_N_NUMBER, ks_token_text(p->arena, t), first));
    }
    if (ks_bp_is(p, 0, "(")) {
        struct ks_node *node = cast(p);
        if (node || p->err->status)
            return node;
        p->at++;
        node = ks_bp_expression(p, true);
        if (!node)
            return NULL;
        if (!ks_bp_take(p, ")")) {
            ks_bp_refuse(p, "parenthesised expression");
            return NULL;
        }
        node->begin = (size_t)(p->tokens[first].at - p->base); // parentheses belong to the node
        return ks_bp_close(p, node);
    }
    if (is_named_cast(p)) {
        size_t n = ks_bp_type(p, 2, false);
        if (n && ks_bp_is(p, 2 + n, ">") && ks_bp_is(p, 3 + n, "("))
            return functional_cast(p, 2, n, 3 + n);
    }
    if (ks_bp_is(p, 0, "[")) {
        ks_bp_refuse(p, ks_bp_is(p, 1, "[") ? "an attribute" : "lambda");
        return NULL;
    }
    size_t n = ks_bp_type(p, 0, true);
    if (n && ks_bp_is(p, n, "(") && !ks_bp_is(p, n + 1, ")"))
        return functional_cast(p, 0, n, n);
    if (t->kind == KS_TOK_IDENT || ks_bp_is(p, 0, "::"))
        return name(p);
    ks_bp_refuse(p, "expression");
    return NULL;
}

// T{a, b} behind its name, as a call of make_T would be: what a constructor does is not known, but a builtin type has none.
static struct ks_node *temporary(struct ks_body_parser *p, struct ks_node *type, size_t first)
{
    struct ks_node *node = ks_bp_node(p, KS_N_CALL, "", first);
    ks_bp_add(p, node, type);
    p->at++;
    bool builtin = ks_type_parse(p->arena, ks_slice_of(type->text)).elem.size != 0;
    node->changes = builtin ? 0 : (uint32_t)KS_CALLEE_ALL;
    return arguments(p, node, "}");
}

// A method with the object that it is called of, where that is a name.
static const char *method(struct ks_body_parser *p, const struct ks_node *member)
{
    const struct ks_node *object = member->kid[0];
    const char *name = object->kind == KS_N_NAME ? object->text : "()";
    return ks_arena_printf(p->arena, "%s%s%s", name, member->arrow ? "->" : ".", member->text);
}

static struct ks_node *postfix(struct ks_body_parser *p)
{
    size_t first = p->at;
    struct ks_node *node = primary(p);
    if (node && node->kind == KS_N_NAME && ks_bp_is(p, 0, "{"))
        node = temporary(p, node, first);
    while (node) {
        struct ks_node *outer = NULL;
        if (ks_bp_take(p, "[")) {
            outer = ks_bp_node(p, KS_N_INDEX, "", first);
            ks_bp_add(p, outer, node);
            struct ks_node *index = ks_bp_expression(p, false);
            if (!index)
                return NULL;
            ks_bp_add(p, outer, index);
            if (!ks_bp_take(p, "]")) {
                ks_bp_refuse(p, "subscript");
                return NULL;
            }
        } else if (ks_bp_take(p, "(")) {
            outer = ks_bp_node(p, KS_N_CALL, "", first);
            ks_bp_add(p, outer, node);
            if (!arguments(p, outer, ")"))
                return NULL;
            const char *called = node->kind == KS_N_NAME ? node->text : "";
            bool known = ks_function_is_pure(called) || ks_starts_with(called, "atomic");
            outer->changes = known ? 0 : ks_callee_changes(p->callees, called);
            const struct ks_node *type = node->kind == KS_N_CALL ? node->kid[0] : NULL; // T()(x), of an object without name
            if (type && type->kind == KS_N_NAME)
                called = ks_arena_printf(p->arena, "%s()", type->text);
            outer->does = node->kind == KS_N_MEMBER ? ks_callee_does(p->callees, method(p, node), true)
                                                    : ks_callee_does(p->callees, called, false);
        } else if (ks_bp_is(p, 0, ".") || ks_bp_is(p, 0, "->")) {
            bool arrow = ks_bp_is(p, 0, "->");
            p->at++;
            if (ks_bp_peek(p, 0)->kind != KS_TOK_IDENT) {
                ks_bp_refuse(p, "member access");
                return NULL;
            }
            outer = ks_bp_node(p, KS_N_MEMBER, ks_token_text(p->arena, ks_bp_peek(p, 0)), first);
            outer->arrow = arrow;
            p->at++;
            ks_bp_add(p, outer, node);
        } else if (ks_bp_is(p, 0, "++") || ks_bp_is(p, 0, "--")) {
            outer = ks_bp_node(p, KS_N_POSTFIX, ks_bp_is(p, 0, "++") ? "++" : "--", first);
            p->at++;
            ks_bp_add(p, outer, node);
        } else {
            return node;
        }
        node = ks_bp_close(p, outer);
    }
    return NULL;
}

static struct ks_node *unary(struct ks_body_parser *p)
{
    static const char *const ops[] = {"-", "+", "!", "~", "*", "&", "++", "--", NULL};
    if (++p->depth > MAX_DEPTH) {
        ks_bp_refuse(p, "nesting this deep");
        return NULL;
    }
    struct ks_node *node = NULL, *kid;
    for (size_t i = 0; ops[i]; i++)
        if (ks_bp_is(p, 0, ops[i])) {
            node = ks_bp_node(p, KS_N_UNARY, ops[i], p->at++);
            break;
        }
    if (!node && ks_bp_is(p, 0, "sizeof") && ks_bp_is(p, 1, "(")) {
        size_t n = ks_bp_type(p, 2, true);
        node = ks_bp_node(p, KS_N_UNARY, "sizeof", p->at++);
        if (n && ks_bp_is(p, 1 + n, ")")) {
            p->at += n + 2;
            p->depth--;
            return ks_bp_close(p, node);
        }
    }
    if (node) {
        kid = unary(p);
        if (!kid)
            return NULL;
        ks_bp_add(p, node, kid);
        node = ks_bp_close(p, node);
    } else {
        node = postfix(p);
    }
    p->depth--;
    return node;
}

static struct ks_node *binary(struct ks_body_parser *p, int least)
{
    size_t first = p->at;
    struct ks_node *left = unary(p);
    const char *text = NULL;
    for (int level; left && (level = level_of(ks_bp_peek(p, 0), &text)) >= least && level > 0;) {
        struct ks_node *node = ks_bp_node(p, KS_N_BINARY, text, first);
        p->at++;
        struct ks_node *right = binary(p, level + 1);
        if (!right)
            return NULL;
        ks_bp_add(p, node, left);
        ks_bp_add(p, node, right);
        left = ks_bp_close(p, node);
    }
    return left;
}

static struct ks_node *assignment(struct ks_body_parser *p)
{
    if (ks_bp_is(p, 0, "{"))
        return brace_list(p);
    size_t first = p->at;
    struct ks_node *left = binary(p, 1);
    if (!left)
        return NULL;
    if (ks_bp_take(p, "?")) {
        struct ks_node *node = ks_bp_node(p, KS_N_COND, "", first);
        ks_bp_add(p, node, left);
        struct ks_node *yes = ks_bp_expression(p, true);
        if (!yes || !ks_bp_take(p, ":")) {
            if (yes)
                ks_bp_refuse(p, "conditional expression");
            return NULL;
        }
        ks_bp_add(p, node, yes);
        struct ks_node *no = assignment(p);
        if (!no)
            return NULL;
        ks_bp_add(p, node, no);
        return ks_bp_close(p, node);
    }
    for (size_t i = 0; assign_ops[i]; i++)
        if (ks_bp_is(p, 0, assign_ops[i])) {
            struct ks_node *node = ks_bp_node(p, KS_N_ASSIGN, assign_ops[i], first);
            p->at++;
            struct ks_node *right = assignment(p);
            if (!right)
                return NULL;
            ks_bp_add(p, node, left);
            ks_bp_add(p, node, right);
            return ks_bp_close(p, node);
        }
    return left;
}

struct ks_node *ks_bp_expression(struct ks_body_parser *p, bool comma)
{
    size_t first = p->at;
    struct ks_node *left = assignment(p);
    while (left && comma && ks_bp_take(p, ",")) {
        struct ks_node *node = ks_bp_node(p, KS_N_BINARY, ",", first);
        struct ks_node *right = assignment(p);
        if (!right)
            return NULL;
        ks_bp_add(p, node, left);
        ks_bp_add(p, node, right);
        left = ks_bp_close(p, node);
    }
    return left;
}
