#include "workload/fields.h"

#include <stdlib.h>
#include <string.h>

#include "source/lex.h"

#define DEEPEST 8
#define MOST_TOKENS 20000 // of one struct
#define MOST_LOOKS 100
#define MOST_BYTES 32764 // of all of a kernel's parameters

typedef KS_VEC(struct ks_token) tokens_of;

struct finder {
    struct ks_arena *arena;
    struct ks_slice text;
    struct ks_fields *out;
    int depth, looks; // looks: at the whole text
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// "struct" or "class" in front of `at`, nothing but space between.
static bool after_key(const char *begin, const char *at)
{
    static const char *const keys[] = {"struct", "class"};
    if (at == begin || !is_space(at[-1]))
        return false;
    while (at > begin && is_space(at[-1]))
        at--;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(keys[i]);
        if ((size_t)(at - begin) >= n && memcmp(at - n, keys[i], n) == 0 &&
            ((size_t)(at - begin) == n || !ks_is_ident(at[-(ptrdiff_t)n - 1])))
            return true;
    }
    return false;
}

static bool is_any(const struct ks_token *token, const char *const *words)
{
    for (; *words != NULL; words++)
        if (ks_token_is(token, *words))
            return true;
    return false;
}

// The tokens between the braces of the only definition; false: none, or several.
static bool body_of(const struct finder *f, const char *name, tokens_of *body)
{
    const char *begin = f->text.at, *end = begin + f->text.len, *at = begin, *found = NULL;
    size_t n = strlen(name);
    for (; (at = memmem(at, (size_t)(end - at), name, n)) != NULL; at += n) {
        const char *next = at + n;
        while (next < end && is_space(*next))
            next++;
        if (next == end || *next != '{' || !after_key(begin, at))
            continue;
        if (found != NULL)
            return false;
        found = next + 1;
    }
    if (found == NULL)
        return false;
    static const char *const odd[] = {"aligned",  "packed",  "alignas", "__align__",
                                      "decltype", "virtual", NULL};
    struct ks_lexer lexer;
    int depth = 0;
    ks_lex_begin(&lexer, (struct ks_slice){found, (size_t)(end - found)}, false);
    while (body->len < MOST_TOKENS) {
        struct ks_token token = ks_lex_next(&lexer);
        depth += ks_token_is(&token, "{") ? 1 : ks_token_is(&token, "}") ? -1 : 0;
        if (token.kind == KS_TOK_END || is_any(&token, odd))
            return false;
        if (depth < 0) { // attributes may stand behind it
            token = ks_lex_next(&lexer);
            return !ks_token_is(&token, "__attribute__");
        }
        if (token.kind != KS_TOK_DIRECTIVE) // line markers
            *ks_vec_push(f->arena, body) = token;
    }
    return false;
}

// ---- one declaration

static size_t round_up(size_t n, size_t align)
{
    return (n + align - 1) / align * align;
}

static bool find(struct finder *f, const char *name, size_t at, size_t *size, size_t *align);

static const char *last_name(struct ks_arena *arena, const char *type)
{
    const char *at = type;
    for (const char *next; (next = strstr(at, "::")) != NULL;)
        at = next + 2;
    at += strncmp(at, "const ", 6) == 0 ? 6 : 0;
    size_t n = 0;
    while (ks_is_ident(at[n]))
        n++;
    return at[n] == '\0' || strcmp(at + n, " const") == 0 ? ks_arena_strndup(arena, at, n) : "";
}

// `count` elements of that type from byte `at` on; 1 and no extents: the member itself.
static bool add(struct finder *f, const char *own, bool extents, struct ks_type type, size_t at,
                size_t count, size_t *size, size_t *align)
{
    *size = type.pointer ? 8 : type.elem.size;
    *align = type.pointer ? 8 : type.elem.align;
    bool nested = !type.pointer && type.elem.scalar == KS_T_NONE;
    const char *name = nested ? last_name(f->arena, type.text) : "x";
    if (*name == '\0' || count > MOST_BYTES)
        return false;
    size_t begin = at;
    for (size_t i = 0; i < count; i++) {
        size_t from = i == 0 ? begin : begin + i * *size, before = f->out->len;
        const char *path = extents ? ks_arena_printf(f->arena, "%s.%zu", own, i) : own;
        if (nested) {
            if (i == 0 &&
                !find(f, name, SIZE_MAX, size, align)) // its alignment comes before its place
                return false;
            from = round_up(begin, *align) + i * *size;
            if (!find(f, name, from, size, align))
                return false;
            for (size_t k = before; k < f->out->len; k++)
                f->out->at[k].name = ks_arena_printf(f->arena, "%s.%s", path, f->out->at[k].name);
        } else {
            from = round_up(begin, *align) + i * *size;
            *ks_vec_push(f->arena, f->out) = (struct ks_field){path, from, *size, type};
        }
        if (from + *size > MOST_BYTES)
            return false;
    }
    return true;
}

// "[4][2]" from tokens[*i]; false: no plain number stands in it.
static bool read_extents(const tokens_of *t, size_t *i, size_t end, size_t *count)
{
    *count = 1;
    for (; *i < end && ks_token_is(&t->at[*i], "["); *i += 3) {
        if (*i + 2 >= end || t->at[*i + 1].kind != KS_TOK_NUMBER ||
            !ks_token_is(&t->at[*i + 2], "]"))
            return false;
        char *rest;
        unsigned long n = strtoul(t->at[*i + 1].at, &rest, 0);
        if (n == 0 || n > MOST_BYTES || rest != t->at[*i + 1].at + t->at[*i + 1].len)
            return false;
        *count *= n;
        if (*count > MOST_BYTES)
            return false;
    }
    return true;
}

static const char *text_of(struct ks_arena *arena, const tokens_of *t, size_t from, size_t to)
{
    struct ks_buf buf = KS_BUF(1 << 12);
    for (size_t i = from; i < to; i++)
        ks_buf_printf(&buf, "%s ", ks_token_text(arena, &t->at[i]));
    const char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// "const float *a, *b;" from tokens[from] up to its semicolon at `end`; *at moves behind its
// members.
static bool declaration(struct finder *f, const tokens_of *t, size_t from, size_t end, size_t *at,
                        size_t *most_align)
{
    static const char *const refused[] = {"__attribute__", "union", "enum", "&", "&&", "<",
                                          "struct",        "class", NULL};
    size_t i = from, base;
    for (size_t k = from; k < end && !ks_token_is(&t->at[k], "=") && !ks_token_is(&t->at[k], "{");
         k++)
        if (is_any(&t->at[k], refused) || ks_token_is(&t->at[k], ":"))
            return false;
    // The base type ends where a star, or the last name before a comma, bracket or the end, stands.
    for (base = i; base < end; base++) {
        const struct ks_token *next = &t->at[base + 1 < end ? base + 1 : end];
        if (ks_token_is(&t->at[base], "*"))
            break;
        if (base + 1 == end || ks_token_is(next, ",") || ks_token_is(next, "[") ||
            ks_token_is(next, "=") || ks_token_is(next, "{"))
            break;
    }
    const char *type = text_of(f->arena, t, from, base);
    for (i = base; i < end; i++) {
        size_t stars = i, size = 0, align = 1, count;
        while (i < end && t->at[i].kind != KS_TOK_IDENT)
            i++;
        static const char *const qualifiers[] = {"const", "__restrict__", "__restrict", NULL};
        while (i < end && (is_any(&t->at[i], qualifiers) || ks_token_is(&t->at[i], "*")))
            i++;
        if (i >= end || t->at[i].kind != KS_TOK_IDENT)
            return false;
        const char *whole =
            ks_arena_printf(f->arena, "%s %s", type, text_of(f->arena, t, stars, i));
        const char *name = ks_token_text(f->arena, &t->at[i++]);
        bool extents = i < end && ks_token_is(&t->at[i], "[");
        if (!read_extents(t, &i, end, &count) ||
            !add(f, name, extents, ks_type_parse(f->arena, ks_slice_of(whole)), *at, count, &size, &align))
            return false;
        *at = round_up(*at, align) + count * size;
        *most_align = align > *most_align ? align : *most_align;
        while (i < end && !ks_token_is(&t->at[i], ",")) // a default
            i++;
    }
    return true;
}

// Where what begins at tokens[i] ends: a semicolon, or the brace that closes a function's body.
// *function: it is one.
static size_t end_of(const tokens_of *t, size_t i, bool *function)
{
    int depth = 0;
    bool assigned = false;
    *function = false;
    for (; i < t->len; i++) {
        const struct ks_token *token = &t->at[i];
        *function |= depth == 0 && !assigned && ks_token_is(token, "(");
        assigned |= depth == 0 && ks_token_is(token, "=");
        depth += ks_token_is(token, "{") || ks_token_is(token, "(")   ? 1
                 : ks_token_is(token, "}") || ks_token_is(token, ")") ? -1
                                                                      : 0;
        if (depth == 0 && (ks_token_is(token, ";") || (*function && ks_token_is(token, "}"))))
            return i;
    }
    return i;
}

static bool members(struct finder *f, const tokens_of *t, size_t *size, size_t *align)
{
    static const char *const access[] = {"public", "private", "protected", NULL};
    static const char *const no_members[] = {"static", "using",         "typedef",
                                             "friend", "static_assert", NULL};
    size_t at = *size;
    for (size_t i = 0, end; i < t->len; i = end + 1) {
        bool function;
        if (is_any(&t->at[i], access) && i + 1 < t->len && ks_token_is(&t->at[i + 1], ":")) {
            end = i + 1;
            continue;
        }
        end = end_of(t, i, &function);
        for (size_t k = i; k + 1 < end && function; k++) // a pointer to a function is a member
            if (ks_token_is(&t->at[k], "(") && ks_token_is(&t->at[k + 1], "*"))
                return false;
        if (end > i && !function && !is_any(&t->at[i], no_members) &&
            !declaration(f, t, i, end, &at, align))
            return false;
    }
    *size = at;
    return true;
}

// The struct of that name from byte `at` on; SIZE_MAX: only its size and alignment are asked for.
static bool find(struct finder *f, const char *name, size_t at, size_t *size, size_t *align)
{
    tokens_of body = {0};
    struct ks_fields none = {0}, *out = f->out;
    size_t begin = at == SIZE_MAX ? 0 : at, end = begin;
    *align = 1;
    if (f->depth == DEEPEST || ++f->looks > MOST_LOOKS || !body_of(f, name, &body))
        return false;
    f->depth++;
    if (at == SIZE_MAX)
        f->out = &none;
    bool ok = members(f, &body, &end, align) && end > begin;
    f->out = out;
    f->depth--;
    *size = round_up(end - begin, *align);
    return ok;
}

bool ks_fields_find(struct ks_arena *arena, struct ks_slice text, const char *type,
                    struct ks_fields *out)
{
    struct finder f = {.arena = arena, .text = text, .out = out};
    *out = (struct ks_fields){0};
    const char *name = last_name(arena, type);
    return text.len > 0 && *name != '\0' && find(&f, name, 0, &out->size, &out->align);
}
