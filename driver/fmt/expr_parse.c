// Parser half of fmt/expr.h: precedence climbing over the text itself, no token list.
#include <stdlib.h>
#include <string.h>

#include "fmt/expr_ops.h"

#define LONGEST ((size_t)4096)
#define DEEPEST 64

const struct ks_expr_op_info ks_expr_ops[KS_X_OVERLAP + 1] = {
    [KS_X_INT] = {"", NULL, KS_X_PREC_LEAF, 0, false},
    [KS_X_NAME] = {"", NULL, KS_X_PREC_LEAF, 0, false},
    [KS_X_NEG] = {"-", "ks_neg_", KS_X_PREC_UNARY, 1, false},
    [KS_X_NOT] = {"!", NULL, KS_X_PREC_UNARY, 1, false},
    [KS_X_COMPL] = {"~", NULL, KS_X_PREC_UNARY, 1, false},
    [KS_X_ADD] = {"+", "ks_add_", 10, 2, false},
    [KS_X_SUB] = {"-", "ks_sub_", 10, 2, false},
    [KS_X_MUL] = {"*", "ks_mul_", 11, 2, false},
    [KS_X_DIV] = {"/", "ks_div_", 11, 2, false},
    [KS_X_MOD] = {"%", "ks_mod_", 11, 2, false},
    [KS_X_SHL] = {"<<", "ks_shl_", 9, 2, false},
    [KS_X_SHR] = {">>", "ks_shr_", 9, 2, false},
    [KS_X_AND] = {"&", NULL, 6, 2, false},
    [KS_X_OR] = {"|", NULL, 4, 2, false},
    [KS_X_XOR] = {"^", NULL, 5, 2, false},
    [KS_X_LT] = {"<", NULL, 8, 2, false},
    [KS_X_LE] = {"<=", NULL, 8, 2, false},
    [KS_X_GT] = {">", NULL, 8, 2, false},
    [KS_X_GE] = {">=", NULL, 8, 2, false},
    [KS_X_EQ] = {"==", NULL, 7, 2, false},
    [KS_X_NE] = {"!=", NULL, 7, 2, false},
    [KS_X_LAND] = {"&&", NULL, 3, 2, false},
    [KS_X_LOR] = {"||", NULL, 2, 2, false},
    [KS_X_COND] = {"?", NULL, KS_X_PREC_COND, 3, false},
    [KS_X_MIN] = {"min", "ks_min_", KS_X_PREC_LEAF, 2, true},
    [KS_X_MAX] = {"max", "ks_max_", KS_X_PREC_LEAF, 2, true},
    [KS_X_CEILDIV] = {"ceildiv", "ks_ceildiv_", KS_X_PREC_LEAF, 2, true},
    [KS_X_ALIGNED] = {"aligned", "ks_aligned_", KS_X_PREC_LEAF, 2, true},
    [KS_X_OVERLAP] = {"overlap", "ks_overlap_", KS_X_PREC_LEAF, 4, true},
};

struct parser {
    struct ks_arena *arena;
    const char *where;
    const char *text; // terminated copy
    const char *at;
    int depth;
    struct ks_err *err;
};

static enum ks_status fail(struct parser *p, const char *at, const char *what)
{
    return ks_err_set(p->err, KS_E_USER, "%s: in the expression '%s', column %zu: %s", p->where,
                      p->text, (size_t)(at - p->text) + 1, what);
}

static void skip_space(struct parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c)
{
    return is_name_start(c) || (c >= '0' && c <= '9');
}

static struct ks_expr *node(struct parser *p, enum ks_expr_op op)
{
    struct ks_expr *expr = KS_NEW(p->arena, struct ks_expr);
    expr->op = op;
    return expr;
}

static enum ks_status parse_cond(struct parser *p, struct ks_expr **expr);

static enum ks_status expect(struct parser *p, char c)
{
    skip_space(p);
    if (*p->at != c) {
        char what[32] = "expected 'x'";
        what[10] = c;
        return fail(p, p->at, what);
    }
    p->at++;
    return KS_OK;
}

static enum ks_status parse_number(struct parser *p, struct ks_expr **expr)
{
    const char *begin = p->at;
    while (is_name_char(*p->at))
        p->at++;
    if (begin[0] == '0' && begin[1] >= '0' && begin[1] <= '9')
        return fail(p, begin, "a number must not begin with 0 (is it meant to be octal?)");
    *expr = node(p, KS_X_INT);
    char *digits = ks_arena_strndup(p->arena, begin, (size_t)(p->at - begin));
    if (!ks_parse_i64(digits, &(*expr)->value))
        return fail(p, begin, "not a number of at most 63 bits, decimal or 0x, without suffix");
    return KS_OK;
}

// Behind the dot: i8_ .. i64_, u8_ .. u64_, f32_ f64_ ptr_ and digits. NULL: no member.
static const char *member_end(const char *at, struct ks_struct_member *member)
{
    static const struct {
        const char *text;
        size_t size;
    } kinds[] = {{"i8_", 1}, {"i16_", 2}, {"i32_", 4}, {"i64_", 8}, {"u8_", 1}, {"u16_", 2},
                 {"u32_", 4}, {"u64_", 8}, {"f32_", 4}, {"f64_", 8}, {"ptr_", 8}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].text);
        if (strncmp(at, kinds[i].text, n) != 0)
            continue;
        size_t digits = strspn(at + n, "0123456789");
        member->kind = at[0];
        member->size = kinds[i].size;
        member->at = (size_t)strtoul(at + n, NULL, 10);
        return digits > 0 && digits < 6 && !is_name_char(at[n + digits]) ? at + n + digits : NULL;
    }
    return NULL;
}

bool ks_expr_member(const char *name, struct ks_struct_member *member)
{
    member->stem = strcspn(name, ".");
    const char *end = name[member->stem] == '.' ? member_end(name + member->stem + 1, member) : NULL;
    return end != NULL && *end == '\0';
}

// grid.x .. block.z are single names, and so are members.
static void extend_dotted(struct parser *p, size_t len, const char *begin)
{
    struct ks_struct_member ignored;
    const char *end = p->at[0] == '.' ? member_end(p->at + 1, &ignored) : NULL;
    if (end != NULL) {
        p->at = end;
        return;
    }
    bool has_parts =
        (len == 4 && memcmp(begin, "grid", 4) == 0) || (len == 5 && memcmp(begin, "block", 5) == 0);
    if (has_parts && p->at[0] == '.' && p->at[1] >= 'x' && p->at[1] <= 'z' &&
        !is_name_char(p->at[2]))
        p->at += 2;
}

static enum ks_status parse_call(struct parser *p, const char *begin, size_t len,
                                 struct ks_expr **expr)
{
    size_t op = KS_X_MIN;
    while (op <= KS_X_OVERLAP && !ks_slice_eq((struct ks_slice){begin, len}, ks_expr_ops[op].text))
        op++;
    if (op > KS_X_OVERLAP)
        return fail(p, begin, "unknown function; there are min, max, ceildiv, aligned and overlap");
    *expr = node(p, (enum ks_expr_op)op);
    KS_TRY(expect(p, '('));
    for (int i = 0; i < ks_expr_ops[op].kids; i++) {
        if (i > 0)
            KS_TRY(expect(p, ','));
        skip_space(p);
        const char *argument = p->at;
        KS_TRY(parse_cond(p, &(*expr)->kid[i]));
        bool pointer = (op == KS_X_ALIGNED && i == 0) || (op == KS_X_OVERLAP && i % 2 == 0);
        if (pointer && (*expr)->kid[i]->op != KS_X_NAME)
            return fail(p, argument, "the name of a pointer parameter belongs here");
    }
    return expect(p, ')');
}

static enum ks_status parse_primary(struct parser *p, struct ks_expr **expr)
{
    const char *begin = p->at;
    if (*begin >= '0' && *begin <= '9')
        return parse_number(p, expr);
    if (*begin == '(') {
        p->at++;
        KS_TRY(parse_cond(p, expr));
        return expect(p, ')');
    }
    if (!is_name_start(*begin))
        return fail(p, begin,
                    *begin == '\0' ? "it ends where a value was expected"
                                   : "expected a number, a name or '('");
    while (is_name_char(*p->at))
        p->at++;
    size_t len = (size_t)(p->at - begin);
    skip_space(p);
    if (*p->at == '(')
        return parse_call(p, begin, len, expr);
    p->at = begin + len;
    extend_dotted(p, len, begin);
    if (ks_slice_eq((struct ks_slice){begin, len}, "true") || ks_slice_eq((struct ks_slice){begin, len}, "false")) {
        *expr = node(p, KS_X_INT);
        (*expr)->value = *begin == 't';
        return KS_OK;
    }
    *expr = node(p, KS_X_NAME);
    (*expr)->name = ks_arena_strndup(p->arena, begin, (size_t)(p->at - begin));
    return KS_OK;
}

static enum ks_status parse_unary(struct parser *p, struct ks_expr **expr)
{
    skip_space(p);
    enum ks_expr_op op;
    switch (*p->at) {
    case '-':
        op = KS_X_NEG;
        break;
    case '!':
        op = KS_X_NOT;
        break;
    case '~':
        op = KS_X_COMPL;
        break;
    default:
        return parse_primary(p, expr);
    }
    p->at++;
    skip_space(p);
    // Canonical text puts parentheses between two signs, and must be read again.
    int levels = op == KS_X_NEG && *p->at == '-' ? 2 : 1;
    p->depth += levels;
    if (p->depth > DEEPEST)
        return fail(p, p->at, "nested deeper than 64 levels");
    *expr = node(p, op);
    KS_TRY(parse_unary(p, &(*expr)->kid[0]));
    p->depth -= levels;
    return KS_OK;
}

// The binary operator at the cursor, longest spelling first; KS_X_INT if there is none.
static enum ks_expr_op peek_binary(const char *at)
{
    enum ks_expr_op found = KS_X_INT;
    size_t longest = 0;
    for (int op = KS_X_ADD; op <= KS_X_LOR; op++) {
        const char *text = ks_expr_ops[op].text;
        size_t n = strlen(text);
        if (n > longest && strncmp(at, text, n) == 0) {
            longest = n;
            found = (enum ks_expr_op)op;
        }
    }
    return found;
}

static enum ks_status parse_binary(struct parser *p, int least, struct ks_expr **expr)
{
    KS_TRY(parse_unary(p, expr));
    for (;;) {
        skip_space(p);
        enum ks_expr_op op = peek_binary(p->at);
        if (op == KS_X_INT || ks_expr_ops[op].precedence < least)
            return KS_OK;
        p->at += strlen(ks_expr_ops[op].text);
        struct ks_expr *parent = node(p, op);
        parent->kid[0] = *expr;
        KS_TRY(parse_binary(p, ks_expr_ops[op].precedence + 1, &parent->kid[1]));
        *expr = parent;
    }
}

static enum ks_status parse_cond(struct parser *p, struct ks_expr **expr)
{
    if (++p->depth > DEEPEST)
        return fail(p, p->at, "nested deeper than 64 levels");
    KS_TRY(parse_binary(p, KS_X_PREC_COND + 1, expr));
    skip_space(p);
    if (*p->at == '?') {
        p->at++;
        struct ks_expr *cond = node(p, KS_X_COND);
        cond->kid[0] = *expr;
        KS_TRY(parse_cond(p, &cond->kid[1]));
        KS_TRY(expect(p, ':'));
        KS_TRY(parse_cond(p, &cond->kid[2]));
        *expr = cond;
    }
    p->depth--;
    return KS_OK;
}

// The tree may be deeper than the text is nested: 1+1+1+... leans to the left.
static bool deeper_than(const struct ks_expr *expr, int limit)
{
    if (limit == 0)
        return true;
    for (int i = 0; i < ks_expr_ops[expr->op].kids; i++)
        if (deeper_than(expr->kid[i], limit - 1))
            return true;
    return false;
}

enum ks_status ks_expr_parse(struct ks_arena *arena, const char *where, struct ks_slice text,
                             struct ks_expr **expr, struct ks_err *err)
{
    if (text.len > LONGEST)
        KS_FAIL(err, KS_E_USER, "%s: an expression of more than %zu bytes", where, LONGEST);
    struct ks_slice trimmed = ks_slice_trim(text);
    char *copy = ks_arena_strndup(arena, trimmed.at, trimmed.len);
    struct parser p = {arena, where, copy, copy, 0, err};
    if (strlen(copy) != trimmed.len)
        return fail(&p, copy + strlen(copy), "a NUL character");
    if (trimmed.len == 0)
        KS_FAIL(err, KS_E_USER, "%s: an expression is expected, and the text is empty", where);
    struct ks_expr *tree;
    KS_TRY(parse_cond(&p, &tree));
    skip_space(&p);
    if (*p.at != '\0')
        return fail(&p, p.at, "expected an operator or the end");
    if (deeper_than(tree, DEEPEST))
        return fail(&p, copy, "more than 64 operators deep; parenthesise long sums in halves");
    *expr = tree;
    return KS_OK;
}
