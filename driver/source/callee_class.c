#include "source/callee_class.h"

#include <string.h>

#include "source/alias.h"

enum { DERIVED = 8 }; // classes of classes

static bool is_one_of(const struct ks_token *t, const char *const *words)
{
    for (; *words; words++)
        if (ks_token_is(t, *words))
            return true;
    return false;
}

// The word in front of `at`, blanks between.
static struct ks_slice word_before(struct ks_slice text, const char *at)
{
    while (at > text.at && strchr(" \t\r\n", at[-1]))
        at--;
    const char *begin = at;
    while (begin > text.at && ks_is_ident(begin[-1]))
        begin--;
    return (struct ks_slice){begin, (size_t)(at - begin)};
}

// What stands behind a class's name up to its body: `<...>` of a specialisation, `final`, and what it is derived from. False
// where no body follows.
static bool read_head(struct ks_arena *arena, struct ks_lexer *lexer, struct ks_token *t, struct ks_class *class)
{
    int depth = 0;
    bool derived = false;
    const char *last = NULL;
    for (*t = ks_lex_next(lexer); t->kind != KS_TOK_END; *t = ks_lex_next(lexer)) {
        depth += ks_token_is(t, "<") - ks_token_is(t, ">") - 2 * ks_token_is(t, ">>");
        bool ends = depth <= 0 && (ks_token_is(t, "{") || ks_token_is(t, ","));
        if (ends && derived && last)
            ks_strv_add(arena, &class->bases, last);
        if (ends && ks_token_is(t, "{"))
            return true;
        if (depth <= 0 && (ks_token_is(t, ";") || ks_token_is(t, ")") || (ends && !derived)))
            return false;
        if (depth == 0 && ks_token_is(t, ":"))
            derived = true;
        else if (depth == 0 && !derived && t->kind == KS_TOK_IDENT && !ks_token_is(t, "final"))
            return false;
        if (ends)
            last = NULL;
        else if (depth == 0 && t->kind == KS_TOK_IDENT)
            last = ks_token_text(arena, t);
    }
    return false;
}

bool ks_class_next(struct ks_arena *arena, const struct ks_word_index *unit, const char *name, uint32_t *word,
                   struct ks_class *found)
{
    const char *end = unit->text.at + unit->text.len;
    while ((*word = ks_word_index_next(unit, ks_slice_of(name), *word)) != 0) {
        const char *at = unit->text.at + unit->at[*word], *behind = at + strlen(name);
        struct ks_slice before = word_before(unit->text, at);
        if (!ks_slice_eq(before, "struct") && !ks_slice_eq(before, "class"))
            continue;
        *found = (struct ks_class){0};
        struct ks_lexer lexer;
        struct ks_token t;
        ks_lex_begin(&lexer, (struct ks_slice){behind, (size_t)(end - behind)}, false);
        if (!read_head(arena, &lexer, &t, found))
            continue;
        const char *from = t.at + 1;
        for (int depth = 1; depth > 0 && t.kind != KS_TOK_END;) {
            t = ks_lex_next(&lexer);
            depth += ks_token_is(&t, "{") - ks_token_is(&t, "}");
        }
        found->body = (struct ks_slice){from, (size_t)(t.at - from)};
        if (t.kind != KS_TOK_END)
            return true;
    }
    return false;
}

// Whether the unit gives the name another meaning: `template <class T>`, `using T = ...`, `typedef ... T;`.
static bool means_other(const struct ks_word_index *unit, const char *name)
{
    struct ks_slice spelled = ks_slice_of(name);
    for (uint32_t i = 0; (i = ks_word_index_next(unit, spelled, i)) != 0;) {
        const char *at = unit->text.at + unit->at[i];
        struct ks_slice before = word_before(unit->text, at);
        const char *behind = at + spelled.len, *end = unit->text.at + unit->text.len;
        while (behind < end && strchr(" \t\r\n", *behind))
            behind++;
        bool param = ks_slice_eq(before, "typename") || ks_slice_eq(before, "class");
        if ((param && behind < end && strchr(",>=", *behind)) || ks_alias_defines(unit->text, at, spelled.len))
            return true;
    }
    return false;
}

// Adds the declarations that stand in the class itself.
static bool add_own(struct ks_arena *arena, const struct ks_class *class, const char *method, struct ks_callee *callee)
{
    static const char *const no_type[] = {"=", ",", ":", "(", "~", "!", "+", "-", "/", "?", "return", "new", ".", "->", NULL};
    struct ks_token *first;
    bool any = false;
    int depth = 0;
    ks_lex_all(arena, class->body, false, &first);
    for (const struct ks_token *t = first; t->kind != KS_TOK_END; t++) {
        depth += ks_token_is(t, "{") - ks_token_is(t, "}");
        if (depth != 0 || t == first || !ks_token_is(t, method) || !ks_token_is(t + 1, "(") || is_one_of(t - 1, no_type))
            continue;
        size_t before = callee->n_texts;
        bool declares = ks_callee_read_params(arena, "", t + 1, callee);
        callee->cut |= declares && callee->n_texts == before; // its text stands elsewhere, or behind a result
        any |= declares;
    }
    return any;
}

static bool add_methods(struct ks_arena *arena, const struct ks_word_index *unit, const char *name, const char *method,
                        int depth, struct ks_callee *callee)
{
    struct ks_class class;
    bool any = false, is = false;
    for (uint32_t word = 0; ks_class_next(arena, unit, name, &word, &class);) {
        is = true;
        callee->scope = name;
        if (add_own(arena, &class, method, callee)) {
            any = true;
            continue;
        }
        for (size_t i = 0; i < class.bases.len && depth < DERIVED; i++)
            any |= add_methods(arena, unit, class.bases.at[i], method, depth + 1, callee);
        callee->cut |= class.bases.len > 0 && depth == DERIVED;
    }
    callee->cut |= !is || (depth > 0 && means_other(unit, name));
    return any;
}

bool ks_class_method(struct ks_arena *arena, const struct ks_word_index *unit, const char *name, const char *method,
                     struct ks_callee *callee)
{
    return !means_other(unit, name) && add_methods(arena, unit, name, method, 0, callee);
}

// What CUDA's functions that make groups of threads return: `auto warp = cg::tiled_partition<32>(block)`. "" for others.
static const char *made_by(const struct ks_token *t)
{
    static const char *const groups[][2] = {{"this_thread_block", "thread_block"}, {"this_grid", "grid_group"},
                                            {"this_cluster", "cluster_group"}, {"coalesced_threads", "coalesced_group"}};
    while (t->kind == KS_TOK_IDENT && ks_token_is(t + 1, "::"))
        t += 2;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (ks_token_is(t, groups[i][0]) && ks_token_is(t + 1, "(") && ks_token_is(t + 2, ")") && ks_token_is(t + 3, ";"))
            return groups[i][1];
    if (!ks_token_is(t, "tiled_partition") || !ks_token_is(t + 1, "<") || !ks_token_is(t + 3, ">") || !ks_token_is(t + 4, "("))
        return "";
    const struct ks_token *close = ks_callee_closing(t + 4);
    return close && ks_token_is(close + 1, ";") ? "thread_block_tile" : "";
}

// The last word of the type in front of a name that is declared at `t`, NULL where none stands there; "" for one that is not
// told. *pointer: to such.
static const char *type_at(struct ks_arena *arena, const struct ks_token *first, const struct ks_token *t, bool *pointer)
{
    static const char *const qualifiers[] = {"&", "&&", "*", "const", "__restrict__", "__restrict", NULL};
    static const char *const no_type[] = {"return", "else", "do", "case", "throw", "goto", "typename", "class", "using",
                                          "new",    "delete", "and", "or", "not", NULL};
    const struct ks_token *type = t - 1;
    for (*pointer = false; type > first && is_one_of(type, qualifiers); type--)
        *pointer |= ks_token_is(type, "*");
    if (ks_token_is(type, ">"))
        for (int depth = 0; type > first; type--) {
            depth += ks_token_is(type, ">") + 2 * ks_token_is(type, ">>") - ks_token_is(type, "<");
            if (depth == 0) {
                type--;
                break;
            }
        }
    if (type->kind != KS_TOK_IDENT || is_one_of(type, no_type))
        return NULL;
    if (ks_token_is(type, "auto"))
        return ks_token_is(t + 1, "=") ? made_by(t + 2) : "";
    return ks_token_text(arena, type);
}

static const char *declared_type(struct ks_arena *arena, const struct ks_token *first, const struct ks_token *name, bool *pointer)
{
    static const char *const behind[] = {",", ")", "=", ";", "{", "(", ":", NULL};
    const char *found = NULL;
    for (const struct ks_token *t = first + 1; t->kind != KS_TOK_END; t++) {
        bool points;
        if (t->kind != KS_TOK_IDENT || t->len != name->len || memcmp(t->at, name->at, t->len) != 0 || !is_one_of(t + 1, behind))
            continue;
        const char *type = type_at(arena, first, t, &points);
        if (type && found && (strcmp(type, found) != 0 || points != *pointer))
            return NULL;
        if (type)
            *pointer = points;
        found = type ? type : found;
    }
    return found && *found ? found : NULL;
}

bool ks_class_is_method(const struct ks_token *first, const struct ks_token *t)
{
    return t > first && (ks_token_is(t - 1, ".") || ks_token_is(t - 1, "->"));
}

const char *ks_class_called(struct ks_arena *arena, const struct ks_token *first, const struct ks_token *t, const char *scope)
{
    const struct ks_token *object = t - 2;
    bool pointer = true;
    if (t < first + 2 || object->kind != KS_TOK_IDENT ||
        (object > first && (ks_token_is(object - 1, ".") || ks_token_is(object - 1, "->") || ks_token_is(object - 1, "::"))))
        return NULL;
    const char *type = ks_token_is(object, "this") ? scope : declared_type(arena, first, object, &pointer);
    if (!type || pointer != ks_token_is(t - 1, "->"))
        return NULL;
    return ks_arena_printf(arena, "%s.%s", type, ks_token_text(arena, t));
}
