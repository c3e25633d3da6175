// Canonical text of template instances: what a user writes, what the stub says and what the
// demangler prints come out alike.
#include "source/signature.h"

#include <stdlib.h>
#include <string.h>

#include "source/lex.h"

struct norm {
    struct ks_arena *arena;
    const struct ks_token *t;
    struct ks_buf out;
};

static bool is(const struct norm *n, size_t i, size_t end, const char *text)
{
    return i < end && ks_token_is(&n->t[i], text);
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Appends a word or sign, with a space only where two words would run together or after a '*'.
static void put(struct norm *n, const char *text)
{
    char last = n->out.len ? n->out.data[n->out.len - 1] : '\0';
    bool word = is_word_char(*text);
    if (word && (is_word_char(last) || last == '*' || last == '&' || last == '>'))
        ks_buf_putc(&n->out, ' ');
    ks_buf_puts(&n->out, text);
}

// Position after the bracket that closes the one at i ('<', '(', '[' or '{'), at most `end`.
static size_t past_close(const struct norm *n, size_t i, size_t end)
{
    int angle = 0, other = 0;
    bool angled = is(n, i, end, "<");
    for (; i < end; i++) {
        if (is(n, i, end, "(") || is(n, i, end, "[") || is(n, i, end, "{"))
            other++;
        else if (is(n, i, end, ")") || is(n, i, end, "]") || is(n, i, end, "}"))
            other--;
        else if (other == 0 && is(n, i, end, "<"))
            angle++;
        else if (other == 0 && is(n, i, end, ">"))
            angle--;
        if (other <= 0 && (angled ? angle <= 0 : true))
            return i + 1;
    }
    return end;
}

static const char *canonical_builtin(int u, int s, int sh, int l, int ch, int i, int fl, int db,
                                     int bo)
{
    if (ch)
        return u ? "unsigned char" : s ? "signed char" : "char";
    if (sh)
        return u ? "unsigned short" : "short";
    if (db)
        return l ? "long double" : "double";
    if (fl)
        return "float";
    if (bo)
        return "bool";
    if (l >= 2)
        return u ? "unsigned long long" : "long long";
    if (l == 1)
        return u ? "unsigned long" : "long";
    return u ? "unsigned int" : i || s ? "int" : NULL;
}

// Reads the builtin type words at *i; NULL if there are none. `const` among them sets *is_const.
static const char *builtin(const struct norm *n, size_t *i, size_t end, bool *is_const)
{
    int u = 0, s = 0, sh = 0, l = 0, ch = 0, in = 0, fl = 0, db = 0, bo = 0;
    size_t k = *i;
    bool c = false;
    for (; k < end; k++) {
        if (is(n, k, end, "unsigned"))
            u++;
        else if (is(n, k, end, "signed"))
            s++;
        else if (is(n, k, end, "short"))
            sh++;
        else if (is(n, k, end, "long"))
            l++;
        else if (is(n, k, end, "char"))
            ch++;
        else if (is(n, k, end, "int"))
            in++;
        else if (is(n, k, end, "float"))
            fl++;
        else if (is(n, k, end, "double"))
            db++;
        else if (is(n, k, end, "bool"))
            bo++;
        else if (is(n, k, end, "const"))
            c = true;
        else
            break;
    }
    const char *text = canonical_builtin(u, s, sh, l, ch, in, fl, db, bo);
    if (text) {
        *i = k;
        *is_const |= c;
    }
    return text;
}

// Standard typedefs as what they are on 64-bit Linux, and the public names of CUDA's classes.
static const char *typedef_of(const struct ks_token *t)
{
    static const char *const table[][2] = {{"int8_t", "signed char"},
                                           {"uint8_t", "unsigned char"},
                                           {"int16_t", "short"},
                                           {"uint16_t", "unsigned short"},
                                           {"int32_t", "int"},
                                           {"uint32_t", "unsigned int"},
                                           {"int64_t", "long"},
                                           {"uint64_t", "unsigned long"},
                                           {"size_t", "unsigned long"},
                                           {"ptrdiff_t", "long"},
                                           {"intptr_t", "long"},
                                           {"uintptr_t", "unsigned long"},
                                           {"uint", "unsigned int"},
                                           {"ushort", "unsigned short"},
                                           {"ulong", "unsigned long"},
                                           {"half", "__half"},
                                           {"half2", "__half2"},
                                           {"nv_bfloat16", "__nv_bfloat16"},
                                           {"nv_bfloat162", "__nv_bfloat162"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ks_token_is(t, table[i][0]))
            return table[i][1];
    return NULL;
}

// A literal without separators and suffix, integers in decimal: 0x100u is 256.
static const char *literal(struct norm *n, const struct ks_token *t)
{
    char *text = ks_token_text(n->arena, t);
    if (t->kind == KS_TOK_STRING) {
        if (text[0] == '\'' && text[1] && text[1] != '\\' && text[2] == '\'')
            return ks_arena_printf(n->arena, "%d", text[1]);
        return text;
    }
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != '\'')
            *to++ = *from;
    *to = '\0';
    char *stop;
    unsigned long long value = strtoull(text, &stop, 0);
    if (stop != text && strspn(stop, "uUlLzZ") == strlen(stop))
        return ks_arena_printf(n->arena, "%llu", value);
    return text;
}

// `(int)256`, `(bool)1`, `(char)97`: true when the item is a builtin cast of a literal, then
// printed.
static bool cast_literal(struct norm *n, size_t i, size_t end)
{
    if (!is(n, i, end, "("))
        return false;
    size_t close = past_close(n, i, end), k = i + 1;
    bool ignored = false;
    const char *type = builtin(n, &k, end, &ignored);
    if (!type || k + 1 != close)
        return false;
    bool minus = is(n, close, end, "-");
    if (close + minus + 1 != end || n->t[close + minus].kind != KS_TOK_NUMBER)
        return false;
    const char *value = literal(n, &n->t[close + minus]);
    if (strcmp(type, "bool") == 0)
        value = strcmp(value, "0") == 0 ? "false" : "true";
    else if (minus)
        put(n, "-");
    put(n, value);
    return true;
}

static void put_list(struct norm *n, size_t i, size_t end, int depth);

// The rest of an item: stars, references, function types, operators.
static void put_rest(struct norm *n, size_t i, size_t end, int depth)
{
    for (; i < end; i++) {
        const struct ks_token *t = &n->t[i];
        bool nested = is(n, i, end, "(") || is(n, i, end, "<");
        size_t past = nested ? past_close(n, i, end) : i;
        if (nested && past > i + 1 && depth < 64) {
            put(n, *t->at == '(' ? "(" : "<");
            put_list(n, i + 1, past - 1, depth + 1);
            ks_buf_putc(&n->out, *t->at == '(' ? ')' : '>');
            i = past - 1;
        } else if (is(n, i, end, "const")) {
            ks_buf_puts(&n->out, " const");
        } else if (t->kind == KS_TOK_NUMBER || t->kind == KS_TOK_STRING) {
            put(n, literal(n, t));
        } else {
            put(n, ks_token_text(n->arena, t));
        }
    }
}

// A name with scopes and template arguments at *i; anonymous namespaces, a leading `::` and
// std:: before a standard typedef are dropped.
static void put_name(struct norm *n, size_t *i, size_t end, int depth)
{
    bool any = false;
    while (*i < end) {
        if (is(n, *i, end, "::")) {
            if (any)
                ks_buf_puts(&n->out, "::");
            ++*i;
        } else if (is(n, *i, end, "(") && is(n, *i + 1, end, "anonymous") &&
                   is(n, *i + 4, end, "::")) {
            *i += 5;
            any = false;
        } else if (n->t[*i].kind == KS_TOK_IDENT && !is(n, *i, end, "const")) {
            bool std_scope = is(n, *i, end, "std") && is(n, *i + 1, end, "::") && *i + 2 < end;
            if (std_scope && typedef_of(&n->t[*i + 2])) {
                *i += 2;
                continue;
            }
            const char *known = any ? NULL : typedef_of(&n->t[*i]);
            const char *word = known ? known : ks_token_text(n->arena, &n->t[*i]);
            if (any)
                ks_buf_puts(&n->out, word);
            else
                put(n, word);
            any = true;
            ++*i;
            if (is(n, *i, end, "<") && depth < 64) {
                size_t past = past_close(n, *i, end);
                ks_buf_putc(&n->out, '<');
                put_list(n, *i + 1, past - 1, depth + 1);
                ks_buf_putc(&n->out, '>');
                *i = past;
            }
            if (!is(n, *i, end, "::"))
                return;
        } else {
            return;
        }
    }
}

static void put_item(struct norm *n, size_t i, size_t end, int depth)
{
    bool is_const = false;
    for (; i < end; i++) {
        if (is(n, i, end, "const"))
            is_const = true;
        else if (!is(n, i, end, "typename") && !is(n, i, end, "struct") &&
                 !is(n, i, end, "class") && !is(n, i, end, "enum"))
            break;
    }
    if (i == end || cast_literal(n, i, end))
        return;
    const char *type = builtin(n, &i, end, &is_const);
    if (type)
        put(n, type);
    else
        put_name(n, &i, end, depth);
    while (is(n, i, end, "const")) {
        is_const = true;
        i++;
    }
    if (is_const)
        ks_buf_puts(&n->out, " const");
    put_rest(n, i, end, depth);
}

// Items between top-level commas.
static void put_list(struct norm *n, size_t i, size_t end, int depth)
{
    size_t from = i;
    bool first = true;
    while (from < end) {
        size_t stop = from;
        while (stop < end && !is(n, stop, end, ",")) {
            bool open = is(n, stop, end, "(") || is(n, stop, end, "[") || is(n, stop, end, "{") ||
                        is(n, stop, end, "<");
            stop = open ? past_close(n, stop, end) : stop + 1;
        }
        if (!first)
            ks_buf_putc(&n->out, ',');
        first = false;
        put_item(n, from, stop < end ? stop : end, depth);
        from = stop + 1;
    }
}

// The lexer's `>>` and `>>>` cut into single '>', so that brackets can be counted by token.
static size_t split_angles(struct ks_arena *arena, const struct ks_token *in, size_t n,
                           struct ks_token **out)
{
    struct ks_token *list = KS_NEW_ARRAY(arena, struct ks_token, 3 * n + 1);
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        bool angles =
            in[i].kind == KS_TOK_PUNCT && in[i].len > 1 && strspn(in[i].at, ">") >= in[i].len;
        for (size_t k = 0; k < (angles ? in[i].len : 1); k++) {
            list[len] = in[i];
            if (angles) {
                list[len].at += k;
                list[len].len = 1;
            }
            len++;
        }
    }
    *out = list;
    return len;
}

const char *ks_instance_normalise(struct ks_arena *arena, const char *text)
{
    struct ks_token *tokens, *split;
    size_t n = ks_lex_all(arena, ks_slice_of(text), false, &tokens) - 1;
    n = split_angles(arena, tokens, n, &split);
    struct norm norm = {.arena = arena, .t = split, .out = KS_BUF(1 << 16)};
    put_list(&norm, 0, n, 0);
    const char *out = ks_arena_strdup(arena, ks_buf_text(&norm.out));
    ks_buf_free(&norm.out);
    return out;
}
