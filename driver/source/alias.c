#include "source/alias.h"

#include <string.h>

#include "base/vec.h"
#include "source/lex.h"
#include "source/type.h"

enum { DEPTH = 4 }; // aliases of aliases

static const char *resolve(struct ks_arena *arena, struct ks_slice name, const struct ks_word_index *unit, int depth);

// One word or several as a type of known size, aliases resolved; NULL for pointers, references, templates and structs.
static const char *builtin(struct ks_arena *arena, struct ks_slice words, const struct ks_word_index *unit, int depth)
{
    for (size_t i = 0; i < words.len; i++)
        if (!ks_is_ident(words.at[i]) && !strchr(" \t\r\n:", words.at[i]))
            return NULL;
    struct ks_type type = ks_type_parse(arena, words);
    if (type.elem.size != 0)
        return type.pointer ? NULL : type.text;
    return depth < DEPTH ? resolve(arena, ks_slice_of(type.text), unit, depth + 1) : NULL;
}

// The whole word in front of `at`, blanks between; *begin: its first byte.
static struct ks_slice word_before(struct ks_slice unit, const char *at)
{
    while (at > unit.at && strchr(" \t\r\n", at[-1]))
        at--;
    const char *begin = at;
    while (begin > unit.at && ks_is_ident(begin[-1]))
        begin--;
    return (struct ks_slice){begin, (size_t)(at - begin)};
}

// What the statement that ends in `name;` is a typedef of; empty where it is none.
static struct ks_slice typedef_of(struct ks_slice unit, const char *name)
{
    static const char word[] = "typedef";
    const char *begin = name;
    while (begin > unit.at && !strchr(";{}", begin[-1]))
        begin--;
    begin += strspn(begin, " \t\r\n");
    while (*begin == '#') { // a line marker
        begin += strcspn(begin, "\n");
        begin += strspn(begin, " \t\r\n");
    }
    size_t n = strlen(word);
    if (name < begin + n || memcmp(begin, word, n) != 0)
        return (struct ks_slice){name, 0};
    return (struct ks_slice){begin + n, (size_t)(name - begin) - n};
}

// The type of a definition of the name at `at`: empty where none stands there, a blank where it is no alias of a type.
static struct ks_slice defined(struct ks_slice unit, const char *at, size_t n)
{
    static const char *const other[] = {"struct", "class", "union", "enum"};
    const char *end = unit.at + unit.len, *behind = at + n;
    while (behind < end && strchr(" \t\r\n", *behind))
        behind++;
    if (behind >= end)
        return (struct ks_slice){at, 0};
    struct ks_slice before = word_before(unit, at);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (ks_slice_eq(before, other[i]) && strchr("{:", *behind))
            return (struct ks_slice){"(", 1};
    if (*behind == ';')
        return typedef_of(unit, at);
    if (*behind != '=' || !ks_slice_eq(before, "using"))
        return (struct ks_slice){at, 0};
    const char *close = memchr(behind, ';', (size_t)(end - behind));
    return close ? (struct ks_slice){behind + 1, (size_t)(close - behind) - 1} : (struct ks_slice){"(", 1};
}

bool ks_alias_defines(struct ks_slice unit, const char *at, size_t n)
{
    return defined(unit, at, n).len > 1; // that of a class is one byte
}

static const char *resolve(struct ks_arena *arena, struct ks_slice name, const struct ks_word_index *unit, int depth)
{
    const char *found = NULL;
    if (name.len == 0)
        return NULL;
    for (uint32_t i = 0; (i = ks_word_index_next(unit, name, i)) != 0;) {
        struct ks_slice words = defined(unit->text, unit->text.at + unit->at[i], name.len);
        if (words.len == 0)
            continue;
        const char *type = builtin(arena, words, unit, depth);
        if (type == NULL || (found != NULL && strcmp(found, type) != 0))
            return NULL;
        found = type;
    }
    return found;
}

const char *ks_alias_type(const struct ks_alias_list *aliases, const char *name)
{
    for (size_t i = 0; i < aliases->len; i++)
        if (strcmp(aliases->at[i].name, name) == 0)
            return aliases->at[i].type;
    return NULL;
}

// Whether a type may stand there: `T x`, `(T)x`, `cast<T>(x)`, `T(x)`, `T{x}`.
static bool may_be_type(const struct ks_token *first, const struct ks_token *t)
{
    bool opened = t > first && (ks_token_is(t - 1, "(") || ks_token_is(t - 1, "<"));
    return t->kind == KS_TOK_IDENT &&
           (t[1].kind == KS_TOK_IDENT || ks_token_is(&t[1], "(") || ks_token_is(&t[1], "{") ||
            (opened && (ks_token_is(&t[1], ")") || ks_token_is(&t[1], ">"))));
}

static bool has(const struct ks_strv *list, const char *name)
{
    for (size_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i], name) == 0)
            return true;
    return false;
}

void ks_aliases_find(struct ks_arena *arena, struct ks_slice text, const struct ks_word_index *unit, struct ks_alias_list *aliases)
{
    struct ks_token *tokens;
    struct ks_strv seen = {0};
    size_t n = ks_lex_all(arena, text, false, &tokens);
    for (size_t i = 0; i < n && tokens[i].kind != KS_TOK_END; i++) {
        const char *name = may_be_type(tokens, &tokens[i]) ? ks_token_text(arena, &tokens[i]) : NULL;
        if (name == NULL || has(&seen, name) || ks_type_parse(arena, ks_slice_of(name)).elem.size != 0)
            continue;
        ks_strv_add(arena, &seen, name);
        const char *type = resolve(arena, ks_slice_of(name), unit, 0);
        if (type != NULL)
            *ks_vec_push(arena, aliases) = (struct ks_alias){name, type};
    }
}
