// Calls of objects: operator() of a structure whose text is seen. The structure is that of the
// object's type; where that is a template's parameter, it is one of those that the texts name, and
// what each of them does counts.
#include <string.h>

#include "base/vec.h"
#include "source/callee_class.h"

struct finder {
    struct ks_arena *arena;
    struct ks_slice text;
    const struct ks_word_index *unit;
    struct ks_strv *seen;
    struct ks_callee_list *callees;
    // Structures with operators () that texts name, those of so many callees so far; the words that
    // were looked at.
    struct ks_callee named;
    struct ks_strv words;
    size_t n_read;
};

static bool is_one_of(const struct ks_token *t, const char *const *words)
{
    for (; *words; words++)
        if (ks_token_is(t, *words))
            return true;
    return false;
}

const struct ks_token *ks_callee_closing(const struct ks_token *open)
{
    int depth = 0;
    for (; open->kind != KS_TOK_END; open++) {
        depth += ks_token_is(open, "(") || ks_token_is(open, "{") || ks_token_is(open, "[");
        depth -= ks_token_is(open, ")") || ks_token_is(open, "}") || ks_token_is(open, "]");
        if (depth == 0)
            return open;
    }
    return NULL;
}

static bool is_class(const struct finder *f, const char *name)
{
    struct ks_class class;
    uint32_t word = 0;
    return ks_class_next(f->arena, f->unit, name, &word, &class);
}

// Adds what the structure's operators () do; false where it has none.
static bool add_operators_of(const struct finder *f, struct ks_slice body, struct ks_callee *callee)
{
    struct ks_token *t;
    bool any = false;
    ks_lex_all(f->arena, body, false, &t);
    for (; t->kind != KS_TOK_END; t++) {
        if (!ks_token_is(t, "operator") || !ks_token_is(t + 1, "(") || !ks_token_is(t + 2, ")") ||
            !ks_token_is(t + 3, "("))
            continue;
        size_t before = callee->n_texts;
        bool declares = ks_callee_read_params(f->arena, "", t + 3, callee);
        callee->cut |= declares && callee->n_texts ==
                                       before; // elsewhere, or with a result behind the parameters
        any |= declares;
    }
    return any;
}

static bool add_operators(const struct finder *f, const char *name, struct ks_callee *callee)
{
    struct ks_class class;
    bool any = false;
    callee->scope = name;
    for (uint32_t word = 0; ks_class_next(f->arena, f->unit, name, &word, &class);)
        any |= add_operators_of(f, class.body, callee);
    return any;
}

static void read_named(struct finder *f, struct ks_slice text)
{
    struct ks_token *t;
    ks_lex_all(f->arena, text, false, &t);
    for (; t->kind != KS_TOK_END; t++) {
        const char *name = t->kind == KS_TOK_IDENT ? ks_token_text(f->arena, t) : "";
        bool known = *name == '\0' || ks_callee_is_own(name);
        for (size_t i = 0; !known && i < f->words.len; i++)
            known = strcmp(f->words.at[i], name) == 0;
        if (known)
            continue;
        ks_strv_add(f->arena, &f->words, name);
        f->named.cut |= strcmp(name, "lambda") == 0 || ks_starts_with(name, "__nv_");
        add_operators(f, name, &f->named);
    }
}

// Every structure with such operators that the texts name: the object of a template's type is of
// one of them.
static void add_named(struct finder *f, struct ks_callee *callee)
{
    if (f->n_read == 0)
        read_named(f, f->text);
    for (; f->n_read < f->callees->len; f->n_read++)
        for (size_t k = 0; k < f->callees->at[f->n_read].n_texts; k++) {
            read_named(f, ks_slice_of(f->callees->at[f->n_read].text[k].params));
            read_named(f, ks_slice_of(f->callees->at[f->n_read].text[k].body));
        }
    const char *name = callee->name;
    *callee = f->named;
    callee->name = name;
}

static void add_object(struct finder *f, const char *name, const char *type)
{
    struct ks_callee callee = {.name = name};
    if (ks_callee_find(f->callees, name) != NULL)
        return;
    if (!type || !add_operators(f, type, &callee))
        add_named(f, &callee);
    callee.params = callee.result = callee.body = callee.value =
        NULL; // its members have no meaning elsewhere
    callee.changes = callee.n_texts == 0 ? (uint32_t)KS_CALLEE_ALL : callee.changes;
    *ks_vec_push(f->arena, f->callees) = callee;
    for (size_t i = 0; i < callee.n_texts; i++)
        ks_callees_add(f->arena, &callee.text[i], f->unit, f->seen, f->callees);
}

// Whether the declaration that the token stands in is of another name for a type.
static bool names_type(const struct ks_token *first, const struct ks_token *t)
{
    for (; t >= first && !ks_token_is(t, ";") && !ks_token_is(t, "{") && !ks_token_is(t, "}"); t--)
        if (ks_token_is(t, "typedef"))
            return true;
    return false;
}

// The type that the text declares the name with: NULL where it does not, "" where that is no plain
// one.
static const char *declared_type(const struct finder *f, const struct ks_token *first,
                                 const struct ks_token *name)
{
    static const char *const words[] = {"return", "else",     "do",    "case",  "throw",
                                        "goto",   "typename", "class", "using", NULL};
    static const char *const behind[] = {",", ")", "=", ";", "{", NULL};
    for (const struct ks_token *t = first + 1; t->kind != KS_TOK_END; t++) {
        const struct ks_token *type = t - 1;
        if (t->kind != KS_TOK_IDENT || t->len != name->len ||
            memcmp(t->at, name->at, t->len) != 0 || !is_one_of(t + 1, behind))
            continue;
        while (type > first &&
               (ks_token_is(type, "&") || ks_token_is(type, "&&") || ks_token_is(type, "const")))
            type--;
        if (ks_token_is(type, ">"))
            for (int depth = 0; type > first; type--) {
                depth += ks_token_is(type, ">") - ks_token_is(type, "<");
                if (depth == 0) {
                    type--;
                    break;
                }
            }
        if (type->kind != KS_TOK_IDENT || is_one_of(type, words) || names_type(first, type))
            continue;
        if (ks_token_is(type, "auto"))
            return ks_token_is(t + 1, "=") && ks_token_is(t + 2, "[")
                       ? NULL
                       : ""; // a lambda is part of the text itself
        return ks_token_text(f->arena, type);
    }
    return NULL;
}

// Calls of objects in one text, whose parameters stand in `params`.
static void look_in(struct finder *f, const char *params, struct ks_slice body)
{
    static const char *const words[] = {"if",     "for",      "while",   "switch", "return",
                                        "sizeof", "decltype", "alignof", NULL};
    struct ks_token *t;
    const char *whole = ks_arena_printf(f->arena, "%s; %.*s", params, (int)body.len, body.at);
    ks_lex_all(f->arena, ks_slice_of(whole), false, &t);
    for (const struct ks_token *first = t; t->kind != KS_TOK_END; t++) {
        bool part = t > first && (ks_token_is(t - 1, ".") || ks_token_is(t - 1, "->") ||
                                  ks_token_is(t - 1, "::"));
        if (t->kind != KS_TOK_IDENT || part || is_one_of(t, words))
            continue;
        const char *name = ks_token_text(f->arena, t);
        const struct ks_token *close =
            ks_token_is(t + 1, "(") || ks_token_is(t + 1, "{") ? ks_callee_closing(t + 1) : NULL;
        if (close && ks_token_is(close + 1, "(") && is_class(f, name))
            add_object(f, ks_arena_printf(f->arena, "%s()", name), name);
        const char *type =
            ks_token_is(t + 1, "(") && !ks_callee_is_own(name) ? declared_type(f, first, t) : NULL;
        if (type)
            add_object(f, name, *type ? type : NULL);
    }
}

void ks_callees_objects(struct ks_arena *arena, struct ks_slice text, const struct ks_word_index *unit,
                        struct ks_strv *seen, struct ks_callee_list *callees)
{
    struct finder f = {
        .arena = arena, .text = text, .unit = unit, .seen = seen, .callees = callees};
    look_in(&f, "", text);
    for (size_t i = 0; i < callees->len; i++) // and in what that adds
        for (size_t k = 0; k < callees->at[i].n_texts; k++)
            look_in(&f, callees->at[i].text[k].params, ks_slice_of(callees->at[i].text[k].body));
}
