#include "engine/body.h"

#include <string.h>

#include "base/vec.h"
#include "engine/body_parse.h"

const struct ks_token *ks_bp_peek(const struct ks_body_parser *p, size_t ahead)
{
    const struct ks_token *t = &p->tokens[p->at];
    while (ahead-- && t->kind != KS_TOK_END)
        t++;
    return t;
}

bool ks_bp_is(const struct ks_body_parser *p, size_t ahead, const char *text)
{
    const struct ks_token *t = ks_bp_peek(p, ahead);
    return t->kind != KS_TOK_STRING && ks_token_is(t, text);
}

bool ks_bp_take(struct ks_body_parser *p, const char *text)
{
    if (!ks_bp_is(p, 0, text))
        return false;
    p->at++;
    return true;
}

enum ks_status ks_bp_refuse(struct ks_body_parser *p, const char *what)
{
    const struct ks_token *t = ks_bp_peek(p, 0);
    return ks_err_set(p->err, KS_E_UNSUPPORTED, "line %d: %s is not understood at \"%.*s\"",
                      t->line + p->line, what, (int)(t->len < 40 ? t->len : 40), t->at);
}

struct ks_node *ks_bp_node(struct ks_body_parser *p, enum ks_node_kind kind, const char *text,
                           size_t begin_token)
{
    struct ks_node *node = KS_NEW(p->arena, struct ks_node);
    node->kind = kind;
    node->text = text;
    node->line = p->tokens[begin_token].line + p->line;
    node->begin = (size_t)(p->tokens[begin_token].at - p->base);
    node->end = node->begin;
    return node;
}

void ks_bp_add(struct ks_body_parser *p, struct ks_node *node, struct ks_node *kid)
{
    ks_vec_grow_(p->arena, (void **)&node->kid, &node->n, &node->cap, sizeof *node->kid);
    node->kid[node->n - 1] = kid;
}

struct ks_node *ks_bp_close(struct ks_body_parser *p, struct ks_node *node)
{
    const struct ks_token *last = &p->tokens[p->at - 1];
    node->end = (size_t)(last->at + last->len - p->base);
    return node;
}

static bool in_words(const struct ks_token *token, const char *const *words)
{
    for (; *words; words++)
        if (ks_token_is(token, *words))
            return true;
    return false;
}

static const char *const builtin_words[] = {"void",  "bool",   "char",   "short",    "int", "long",
                                            "float", "double", "signed", "unsigned", NULL};

static bool is_type_name(const struct ks_body_parser *p, const struct ks_token *token)
{
    for (size_t i = 0; i < p->decl->n_template_params; i++)
        if (ks_token_is(token, p->decl->template_params[i]))
            return true;
    struct ks_slice text = {token->at, token->len};
    return ks_type_parse(p->arena, text).elem.size != 0;
}

size_t ks_bp_type(const struct ks_body_parser *p, size_t ahead, bool known_only)
{
    static const char *const qualifiers[] = {"const", "volatile", "typename", "constexpr", NULL};
    static const char *const after[] = {"*", "&", "const", "__restrict__", "__restrict", NULL};
    size_t i = ahead;
    bool named = false;
    for (;; i++) {
        const struct ks_token *t = ks_bp_peek(p, i);
        if (t->kind != KS_TOK_IDENT)
            break;
        if (in_words(t, qualifiers))
            continue;
        if (in_words(t, builtin_words)) {
            named = true;
            continue;
        }
        if (named)
            break;
        if (ks_token_is(t, "std") && ks_bp_is(p, i + 1, "::") && ks_bp_peek(p, i + 2)->kind == KS_TOK_IDENT) {
            i += 2; // std::size_t
            t = ks_bp_peek(p, i);
        }
        if (known_only && !is_type_name(p, t) && !ks_token_is(t, "auto"))
            return 0;
        named = true;
        while (ks_bp_is(p, i + 1, "::") && ks_bp_peek(p, i + 2)->kind == KS_TOK_IDENT)
            i += 2;
        if (ks_bp_is(p, i + 1, "<")) { // template arguments without operators
            size_t k = i + 2;
            while (ks_bp_peek(p, k)->kind == KS_TOK_IDENT ||
                   ks_bp_peek(p, k)->kind == KS_TOK_NUMBER || ks_bp_is(p, k, ",") ||
                   ks_bp_is(p, k, "*") || ks_bp_is(p, k, "::"))
                k++;
            if (ks_bp_is(p, k, ">"))
                i = k;
        }
    }
    if (!named)
        return 0;
    while (in_words(ks_bp_peek(p, i), after))
        i++;
    return i - ahead;
}

const char *ks_bp_type_text(struct ks_body_parser *p, size_t first, size_t n)
{
    if (n == 0)
        return "";
    const char *begin = p->tokens[first].at;
    const struct ks_token *last = &p->tokens[first + n - 1];
    struct ks_slice text = {begin, (size_t)(last->at + last->len - begin)};
    return ks_type_parse(p->arena, text).text;
}

static struct ks_node *statement(struct ks_body_parser *p);

static struct ks_node *empty(struct ks_body_parser *p)
{
    return ks_bp_node(p, KS_N_EMPTY, "", p->at);
}

static struct ks_node *declarator(struct ks_body_parser *p)
{
    size_t first = p->at;
    struct ks_node *var = ks_bp_node(p, KS_N_VAR, "", first);
    while (ks_bp_is(p, 0, "*") || ks_bp_is(p, 0, "&") || ks_bp_is(p, 0, "const") ||
           ks_bp_is(p, 0, "__restrict__") || ks_bp_is(p, 0, "__restrict")) {
        var->pointer = var->pointer || ks_bp_is(p, 0, "*");
        var->reference = var->reference || ks_bp_is(p, 0, "&");
        p->at++;
    }
    if (ks_bp_peek(p, 0)->kind != KS_TOK_IDENT) {
        ks_bp_refuse(p, "declaration");
        return NULL;
    }
    var->text = ks_token_text(p->arena, ks_bp_peek(p, 0));
    p->at++;
    while (ks_bp_take(p, "[")) {
        struct ks_node *extent = ks_bp_is(p, 0, "]") ? empty(p) : ks_bp_expression(p, false);
        if (!extent)
            return NULL;
        ks_bp_add(p, var, extent);
        if (!ks_bp_take(p, "]")) {
            ks_bp_refuse(p, "array extent");
            return NULL;
        }
    }
    if (ks_bp_take(p, "=")) {
        var->init = ks_bp_expression(p, false);
        if (!var->init)
            return NULL;
    } else if (ks_bp_is(p, 0, "{")) {
        var->init = ks_bp_expression(p, false);
        if (!var->init)
            return NULL;
        if (var->init->n == 1 && var->n == 0) // int i{n};
            var->init = var->init->kid[0];
    } else if (ks_bp_take(p, "(")) { // float x(0.f); or dim3 b(1, 2)
        var->init = ks_bp_expression(p, true);
        if (!var->init)
            return NULL;
        if (!ks_bp_take(p, ")")) {
            ks_bp_refuse(p, "initialiser");
            return NULL;
        }
    }
    return ks_bp_close(p, var);
}

// Tokens of declaration specifiers from the cursor when a declaration starts here, else 0. An
// unknown name is a type when a declarator follows: "real x", "real *x" (a product whose value is
// dropped means nothing as a statement).
static size_t declaration_starts(struct ks_body_parser *p, struct ks_node *decl)
{
    static const char *const storage[] = {"__shared__", "static",       "extern", "register",
                                          "constexpr",  "__constant__", NULL};
    size_t i = 0;
    bool any = false;
    for (;; i++) {
        const struct ks_token *t = ks_bp_peek(p, i);
        if (ks_token_is(t, "__align__") || ks_token_is(t, "alignas")) {
            while (!ks_bp_is(p, i, ")") && ks_bp_peek(p, i)->kind != KS_TOK_END)
                i++;
            any = true;
            continue;
        }
        if (t->kind != KS_TOK_IDENT || !in_words(t, storage))
            break;
        any = true;
        decl->shared |= ks_token_is(t, "__shared__");
        decl->is_static |= ks_token_is(t, "static");
        decl->is_extern |= ks_token_is(t, "extern");
    }
    size_t n = ks_bp_type(p, i, !any);
    if (n == 0 && !any) { // an unknown name as type
        n = ks_bp_type(p, i, false);
        if (n && ks_bp_peek(p, i + n)->kind != KS_TOK_IDENT)
            n = 0;
        if (n && ks_bp_is(p, 0, "return"))
            n = 0;
    }
    if (n && !any && ks_bp_peek(p, i + n)->kind != KS_TOK_IDENT)
        n = 0; // float(x) as an expression
    // Stars and references belong to the declarator.
    while (n && (ks_bp_is(p, i + n - 1, "*") || ks_bp_is(p, i + n - 1, "&") ||
                 ks_bp_is(p, i + n - 1, "__restrict__") || ks_bp_is(p, i + n - 1, "__restrict") ||
                 (n > 1 && ks_bp_is(p, i + n - 1, "const") && ks_bp_is(p, i + n - 2, "*"))))
        n--;
    while (i > 0 && n == 0)
        return 0;
    if (n)
        decl->text = ks_bp_type_text(p, p->at + i, n);
    return n ? i + n : 0;
}

static struct ks_node *declaration(struct ks_body_parser *p)
{
    struct ks_node *decl = ks_bp_node(p, KS_N_DECL, "", p->at);
    size_t n = declaration_starts(p, decl);
    if (n == 0)
        return NULL;
    p->at += n;
    do {
        struct ks_node *var = declarator(p);
        if (!var)
            return NULL;
        ks_bp_add(p, decl, var);
    } while (ks_bp_take(p, ","));
    if (!ks_bp_take(p, ";")) {
        ks_bp_refuse(p, "declaration");
        return NULL;
    }
    return ks_bp_close(p, decl);
}

static struct ks_node *expression_statement(struct ks_body_parser *p)
{
    struct ks_node *node = ks_bp_node(p, KS_N_EXPR, "", p->at);
    struct ks_node *kid = ks_bp_expression(p, true);
    if (!kid)
        return NULL;
    ks_bp_add(p, node, kid);
    if (!ks_bp_take(p, ";")) {
        ks_bp_refuse(p, "statement");
        return NULL;
    }
    return ks_bp_close(p, node);
}

static struct ks_node *in_parentheses(struct ks_body_parser *p)
{
    struct ks_node *node = ks_bp_take(p, "(") ? ks_bp_expression(p, true) : NULL;
    if (node && ks_bp_take(p, ")"))
        return node;
    if (!p->err->status)
        ks_bp_refuse(p, "condition");
    return NULL;
}

static struct ks_node *add_all(struct ks_body_parser *p, struct ks_node *node,
                               struct ks_node *const *kids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ks_bp_add(p, node, kids[i]);
    return ks_bp_close(p, node);
}

static struct ks_node *for_statement(struct ks_body_parser *p)
{
    struct ks_node *node = ks_bp_node(p, KS_N_FOR, "", p->at);
    p->at++;
    if (!ks_bp_take(p, "(")) {
        ks_bp_refuse(p, "for");
        return NULL;
    }
    struct ks_node *kid[4];
    if (ks_bp_is(p, 0, ";")) {
        kid[0] = empty(p);
        p->at++;
    } else {
        kid[0] = declaration(p);
        if (!kid[0] && !p->err->status)
            kid[0] = expression_statement(p);
    }
    if (!kid[0])
        return NULL;
    kid[1] = ks_bp_is(p, 0, ";") ? empty(p) : ks_bp_expression(p, true);
    if (!kid[1])
        return NULL;
    if (!ks_bp_take(p, ";")) {
        ks_bp_refuse(p, "for over a range");
        return NULL;
    }
    kid[2] = ks_bp_is(p, 0, ")") ? empty(p) : ks_bp_expression(p, true);
    if (!kid[2])
        return NULL;
    if (!ks_bp_take(p, ")")) {
        ks_bp_refuse(p, "for");
        return NULL;
    }
    kid[3] = statement(p);
    return kid[3] ? add_all(p, node, kid, 4) : NULL;
}

static struct ks_node *if_statement(struct ks_body_parser *p)
{
    struct ks_node *node = ks_bp_node(p, KS_N_IF, "", p->at);
    p->at++;
    ks_bp_take(p, "constexpr");
    struct ks_node *kid[3] = {in_parentheses(p)};
    if (!kid[0])
        return NULL;
    kid[1] = statement(p);
    if (!kid[1])
        return NULL;
    size_t n = 2;
    if (ks_bp_take(p, "else")) {
        kid[2] = statement(p);
        if (!kid[2])
            return NULL;
        n = 3;
    }
    return add_all(p, node, kid, n);
}

static struct ks_node *loop_statement(struct ks_body_parser *p)
{
    bool is_do = ks_bp_is(p, 0, "do");
    struct ks_node *node = ks_bp_node(p, is_do ? KS_N_DO : KS_N_WHILE, "", p->at);
    p->at++;
    struct ks_node *kid[2];
    kid[0] = is_do ? statement(p) : in_parentheses(p);
    if (!kid[0])
        return NULL;
    if (is_do && !ks_bp_take(p, "while")) {
        ks_bp_refuse(p, "do");
        return NULL;
    }
    kid[1] = is_do ? in_parentheses(p) : statement(p);
    if (!kid[1])
        return NULL;
    if (is_do && !ks_bp_take(p, ";")) {
        ks_bp_refuse(p, "do");
        return NULL;
    }
    return add_all(p, node, kid, 2);
}

static struct ks_node *block(struct ks_body_parser *p)
{
    struct ks_node *node = ks_bp_node(p, KS_N_BLOCK, "", p->at);
    p->at++;
    while (!ks_bp_is(p, 0, "}")) {
        if (ks_bp_peek(p, 0)->kind == KS_TOK_END) {
            ks_bp_refuse(p, "end of the body");
            return NULL;
        }
        struct ks_node *kid = statement(p);
        if (!kid)
            return NULL;
        ks_bp_add(p, node, kid);
    }
    p->at++;
    return ks_bp_close(p, node);
}

// `#pragma unroll` changes no meaning; any other directive makes the text depend on what the
// preprocessor knows.
static bool take_directive(struct ks_body_parser *p)
{
    const struct ks_token *t = ks_bp_peek(p, 0);
    struct ks_slice rest;
    if (ks_token_directive(t, &rest) != KS_DIR_PRAGMA || rest.len < 6 ||
        (memcmp(rest.at, "unroll", 6) != 0 && memcmp(rest.at, "nounroll", 6) != 0)) {
        ks_bp_refuse(p, "preprocessor directive in the body");
        return false;
    }
    char *text = ks_arena_strndup(p->arena, rest.at, rest.len);
    bool literal =
        ks_starts_with(text, "unroll") && strspn(text + 6, " 0123456789") == rest.len - 6;
    struct ks_body *b = p->body;
    ks_vec_grow_(p->arena, (void **)&b->pragmas, &b->n_pragmas, &b->cap_pragmas, sizeof *b->pragmas);
    b->pragmas[b->n_pragmas - 1] =
        (struct ks_body_pragma){(size_t)(t->at - p->base), (size_t)(t->at + t->len - p->base),
                                literal ? ks_arena_printf(p->arena, "_Pragma(\"%s\")", text) : ""};
    p->at++;
    return true;
}

// `using N = T;`, `typedef T N;` of what is no pointer, array or function, and `struct N { ... };`, `enum { ... };` that
// declare no variable: they stay as they stand, and do nothing. How many tokens, or 0.
static size_t type_declared(const struct ks_body_parser *p)
{
    static const char *const with_body[] = {"struct", "class", "union", "enum", NULL};
    static const char *const changes[] = {"*", "&", "&&", "[", "(", "{", "decltype", NULL};
    size_t i = 1;
    if (in_words(ks_bp_peek(p, 0), with_body)) {
        while (ks_bp_peek(p, i)->kind == KS_TOK_IDENT || ks_bp_is(p, i, ":"))
            i++;
        for (int depth = 0; ks_bp_peek(p, i)->kind != KS_TOK_END; i++) {
            depth += ks_bp_is(p, i, "{") - ks_bp_is(p, i, "}");
            if (depth == 0)
                return ks_bp_is(p, i, "}") && ks_bp_is(p, i + 1, ";") ? i + 2 : 0;
        }
        return 0;
    }
    bool alias = ks_bp_is(p, 0, "using") && ks_bp_is(p, 2, "=");
    if (!alias && !ks_bp_is(p, 0, "typedef"))
        return 0;
    for (; !ks_bp_is(p, i, ";"); i++)
        if (ks_bp_peek(p, i)->kind == KS_TOK_END || in_words(ks_bp_peek(p, i), changes))
            return 0;
    return i + 1;
}

static struct ks_node *plain_statement(struct ks_body_parser *p)
{
    static const char *const refused[] = {
        "switch", "goto",  "try",  "case",    "default", "asm", "using",  "typedef",       "struct",
        "union",  "class", "enum", "__asm__", "throw",   "new", "delete", "static_assert", NULL};
    const struct ks_token *t = ks_bp_peek(p, 0);
    size_t first = p->at, declared = t->kind == KS_TOK_IDENT ? type_declared(p) : 0;
    if (declared > 0) {
        p->at += declared;
        return ks_bp_close(p, ks_bp_node(p, KS_N_EMPTY, "", first));
    }
    const char *what = t->kind == KS_TOK_IDENT && ks_bp_is(p, 1, ":") ? "a label" : NULL;
    for (size_t i = 0; t->kind == KS_TOK_IDENT && refused[i]; i++)
        what = ks_token_is(t, refused[i]) ? refused[i] : what;
    if (what) {
        ks_bp_refuse(p, what);
        return NULL;
    }
    if (ks_bp_take(p, ";"))
        return ks_bp_close(p, ks_bp_node(p, KS_N_EMPTY, "", first));
    if (ks_bp_is(p, 0, "{"))
        return block(p);
    if (ks_bp_is(p, 0, "if"))
        return if_statement(p);
    if (ks_bp_is(p, 0, "for"))
        return for_statement(p);
    if (ks_bp_is(p, 0, "while") || ks_bp_is(p, 0, "do"))
        return loop_statement(p);
    enum ks_node_kind kind = ks_bp_is(p, 0, "return")     ? KS_N_RETURN
                             : ks_bp_is(p, 0, "break")    ? KS_N_BREAK
                             : ks_bp_is(p, 0, "continue") ? KS_N_CONTINUE
                                                          : KS_N_EMPTY;
    if (kind != KS_N_EMPTY && ks_bp_is(p, 1, ";")) {
        p->at += 2;
        return ks_bp_close(p, ks_bp_node(p, kind, "", first));
    }
    struct ks_node *node = declaration(p);
    if (node || p->err->status)
        return node;
    return expression_statement(p);
}

static struct ks_node *statement(struct ks_body_parser *p)
{
    while (ks_bp_peek(p, 0)->kind == KS_TOK_DIRECTIVE)
        if (!take_directive(p))
            return NULL;
    if (++p->depth > 200) {
        ks_bp_refuse(p, "nesting this deep");
        return NULL;
    }
    struct ks_node *node = plain_statement(p);
    p->depth--;
    return node;
}

// The parameter list is the parenthesis that closes last before the body.
static bool find_params(struct ks_body_parser *p, size_t body_token, struct ks_body *body)
{
    size_t close = body_token;
    while (close > 0 && !ks_token_is(&p->tokens[close], ")"))
        close--;
    int depth = 0;
    for (size_t i = close; i > 0; i--) {
        depth += ks_token_is(&p->tokens[i], ")") - ks_token_is(&p->tokens[i], "(");
        if (depth == 0) {
            body->params_begin = (size_t)(p->tokens[i].at + 1 - p->base);
            body->params_end = (size_t)(p->tokens[close].at - p->base);
            return true;
        }
    }
    return false;
}

enum ks_status ks_body_parse(struct ks_arena *arena, const char *kernel_text,
                             const struct ks_kernel_decl *decl,
                             const struct ks_callee_list *callees, struct ks_body *body,
                             struct ks_err *err)
{
    struct ks_err local = {0};
    struct ks_slice text = ks_slice_of(kernel_text);
    *body = (struct ks_body){.text = text, .line = decl->line};
    struct ks_body_parser p = {.arena = arena,
                               .base = kernel_text,
                               .line = decl->line - 1,
                               .decl = decl,
                               .callees = callees,
                               .body = body,
                               .err = &local};
    size_t n = ks_lex_all(arena, text, false, &p.tokens);
    size_t open = decl->body - decl->begin;
    while (p.at < n && p.tokens[p.at].at < kernel_text + open)
        p.at++;
    if (p.at >= n || !ks_bp_is(&p, 0, "{") || !find_params(&p, p.at, body))
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel's body was not found", decl->line);
    body->block = block(&p);
    if (!body->block)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", local.text);
    return KS_OK;
}
