#include "source/callee_class.h"

#include <string.h>

#include "base/vec.h"

// The last word of "ns::f<float>": its first byte, and how many.
static const char *last_word(const char *name, size_t *n)
{
    const char *end = strchr(name, '<');
    size_t len = end ? (size_t)(end - name) : strlen(name);
    size_t at = len;
    while (at > 0 && ks_is_ident(name[at - 1]))
        at--;
    *n = len - at;
    return name + at;
}

static const struct ks_callee *find(const struct ks_callee_list *list, const char *name, size_t n)
{
    for (size_t i = 0; list && i < list->len; i++)
        if (strlen(list->at[i].name) == n && memcmp(list->at[i].name, name, n) == 0)
            return &list->at[i];
    return NULL;
}

const struct ks_callee *ks_callee_find(const struct ks_callee_list *callees, const char *name)
{
    if (strpbrk(name, "(."))
        return find(callees, name, strlen(name));
    size_t n;
    const char *word = last_word(name, &n);
    return find(callees, word, n);
}

uint32_t ks_callee_changes(const struct ks_callee_list *callees, const char *name)
{
    const struct ks_callee *callee = ks_callee_find(callees, name);
    return callee ? callee->changes : (uint32_t)KS_CALLEE_ALL;
}

// One parameter from `token` on: whether the function may change what it is given. *end receives
// the comma or bracket behind it.
static bool may_change(const struct ks_token *token, const struct ks_token **end)
{
    bool constant = false, refers = false;
    int depth = 0;
    for (; token->kind != KS_TOK_END; token++) {
        bool opens = ks_token_is(token, "(") || ks_token_is(token, "[") || ks_token_is(token, "{"),
             closes = ks_token_is(token, ")") || ks_token_is(token, "]") || ks_token_is(token, "}");
        if (depth == 0 && (closes || ks_token_is(token, ",")))
            break;
        constant |= ks_token_is(token, "const");
        refers |= ks_token_is(token, "&") || ks_token_is(token, "*") || ks_token_is(token, "[") ||
                  ks_token_is(token, "&&") || ks_token_is(token, "...");
        depth += opens - closes;
        depth += ks_token_is(token, "<") - ks_token_is(token, ">");
    }
    *end = token;
    return refers && !constant;
}

static const char *between(struct ks_arena *arena, const struct ks_token *after,
                           const struct ks_token *before)
{
    const char *begin = after->at + after->len;
    return ks_arena_strndup(arena, begin, (size_t)(before->at - begin));
}

// The bracket that closes the body which `open` begins, or NULL.
static const struct ks_token *closing(const struct ks_token *open)
{
    int depth = 0;
    for (; open->kind != KS_TOK_END; open++) {
        depth += ks_token_is(open, "{") - ks_token_is(open, "}");
        if (depth == 0)
            return open;
    }
    return NULL;
}

// `) { ... }` from the bracket that closes the parameters. A second definition is an overload.
static void read_body(struct ks_arena *arena, const char *front, const struct ks_token *open,
                      const struct ks_token *close, struct ks_callee *callee)
{
    const struct ks_token *at = close + 1;
    while (ks_token_is(at, "const") || ks_token_is(at, "noexcept"))
        at++;
    const struct ks_token *end = ks_token_is(at, "{") ? closing(at) : NULL;
    if (!ks_token_is(at, "{"))
        return;
    callee->params = callee->result = callee->body = callee->value = NULL;
    callee->cut |= end == NULL;
    const struct ks_callee_text text = {between(arena, open, close), front, end ? between(arena, at, end) : "", callee->scope};
    ks_vec_grow_(arena, (void **)&callee->text, &callee->n_texts, &callee->cap_texts, sizeof text);
    callee->text[callee->n_texts - 1] = text;
    if (callee->definitions++ > 0 || end == NULL)
        return;
    callee->params = text.params;
    callee->result = front;
    callee->body = text.body;
    const struct ks_token *from = at + 1;
    if (!ks_token_is(from, "return"))
        return;
    for (at = from; at < end && !ks_token_is(at, ";") && !ks_token_is(at, "{"); at++) {
    }
    if (ks_token_is(at, ";") && at + 1 == end)
        callee->value = between(arena, from, at);
}

// Whether what begins at the token is an argument and no parameter: `x * f(a[i], -1);` declares nothing.
static bool is_value(const struct ks_token *t)
{
    bool operand = t->kind == KS_TOK_IDENT && (ks_token_is(t + 1, "[") || ks_token_is(t + 1, ".") || ks_token_is(t + 1, "->") ||
                                               ks_token_is(t + 1, "+") || ks_token_is(t + 1, "-") || ks_token_is(t + 1, "/"));
    return operand || t->kind == KS_TOK_NUMBER || t->kind == KS_TOK_STRING || ks_token_is(t, "-") || ks_token_is(t, "&") ||
           ks_token_is(t, "*") || ks_token_is(t, "!") || ks_token_is(t, "(");
}

bool ks_callee_read_params(struct ks_arena *arena, const char *front, const struct ks_token *open,
                           struct ks_callee *callee)
{
    const struct ks_token *at = open;
    uint32_t bits = 0;
    for (unsigned i = 0;; i++) {
        if (is_value(at + 1))
            return false;
        if (may_change(at + 1, &at) || i >= 31)
            bits |= i >= 31 ? (uint32_t)KS_CALLEE_ALL : 1u << i;
        if (!ks_token_is(at, ","))
            break;
    }
    bool declares =
        ks_token_is(at, ")") &&
        (ks_token_is(at + 1, "{") || ks_token_is(at + 1, ";") || ks_token_is(at + 1, "const") ||
         ks_token_is(at + 1, "noexcept") || ks_token_is(at + 1, ":") || ks_token_is(at + 1, "->"));
    callee->changes |= declares ? bits : 0;
    if (declares)
        read_body(arena, front, open, at, callee);
    return declares;
}

// Whether the bracket that closes before `end` is an attribute's or a type's: `if (c) f(x[i]);`
// declares nothing.
static bool ends_attribute(const char *unit, const char *end)
{
    static const char *const words[] = {"__attribute__", "__declspec", "decltype",
                                        "__launch_bounds__"};
    int depth = 0;
    while (end > unit && (depth != 1 || end[-1] != '(')) {
        depth += (end[-1] == ')') - (end[-1] == '(');
        end--;
    }
    while (end > unit && strchr(" \t\r\n(", end[-1]))
        end--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(end - unit) >= n && memcmp(end - n, words[i], n) == 0)
            return true;
    }
    return false;
}

// A word in front of a function's name in its declaration: a type or qualifier.
static bool is_in_front(const char *unit, const char *at)
{
    const char *end = at;
    while (end > unit && strchr(" \t\r\n", end[-1]))
        end--;
    if (end == unit || (end == at && !strchr("*&>", end[-1])))
        return false;
    const char *begin = end;
    while (begin > unit && ks_is_ident(begin[-1]))
        begin--;
    struct ks_slice word = {begin, (size_t)(end - begin)};
    if (word.len == 0)
        return end[-1] == ')' ? ends_attribute(unit, end) : strchr("*&>", end[-1]) != NULL;
    return !ks_slice_eq(word, "return") && !ks_slice_eq(word, "else") && !ks_slice_eq(word, "do") &&
           !(word.at[0] >= '0' && word.at[0] <= '9');
}

// The word that ends right in front of `at`, or "", and all those of an integer type of several ("unsigned int").
static const char *type_before(struct ks_arena *arena, const char *unit, const char *at)
{
    static const char *const several[] = {"unsigned", "signed", "long", "short", "char", "int", NULL};
    const char *end = NULL, *from = at;
    for (bool more = true; more;) {
        while (at > unit && strchr(" \t\r\n", at[-1]))
            at--;
        const char *begin = at;
        while (begin > unit && ks_is_ident(begin[-1]))
            begin--;
        struct ks_slice word = {begin, (size_t)(at - begin)};
        more = false;
        for (size_t i = 0; several[i]; i++)
            more |= ks_slice_eq(word, several[i]);
        if (end == NULL || more)
            from = begin;
        end = end ? end : at;
        at = begin;
    }
    return ks_arena_strndup(arena, from, (size_t)(end - from));
}

// The text from a bracket on to the end of what it may declare: its body, or the word behind its parameters.
static struct ks_slice declaration_from(struct ks_slice rest)
{
    enum { LONG = 1 << 18 }; // bytes of what has no end
    struct ks_lexer lexer;
    int depth = 0;
    bool inside = true, body = false;
    rest.len = rest.len < LONG ? rest.len : LONG;
    ks_lex_begin(&lexer, rest, false);
    for (struct ks_token t = ks_lex_next(&lexer); t.kind != KS_TOK_END; t = ks_lex_next(&lexer)) {
        depth += ks_token_is(&t, body ? "{" : "(") - ks_token_is(&t, body ? "}" : ")");
        bool ends = depth == 0 && (body || !inside) && !ks_token_is(&t, "const") && !ks_token_is(&t, "noexcept");
        if (ends && !body && ks_token_is(&t, "{")) {
            body = true;
            depth = 1;
        } else if (ends) {
            return (struct ks_slice){rest.at, (size_t)(t.at - rest.at) + t.len};
        }
        inside &= depth > 0;
    }
    return rest;
}

static void look_up(struct ks_arena *arena, const char *name, const struct ks_word_index *unit,
                    struct ks_callee_list *callees)
{
    size_t n = strlen(name);
    struct ks_callee callee = {.name = name};
    int declared = 0;
    for (uint32_t i = 0; (i = ks_word_index_next(unit, (struct ks_slice){name, n}, i)) != 0;) {
        const char *at = unit->text.at + unit->at[i], *end = unit->text.at + unit->text.len;
        size_t left = (size_t)(end - at), open = n;
        while (open < left && strchr(" \t\r\n", at[open]))
            open++;
        if (open >= left || at[open] != '(' || !is_in_front(unit->text.at, at))
            continue;
        struct ks_token *tokens;
        ks_lex_all(arena, declaration_from((struct ks_slice){at + open, left - open}), false, &tokens);
        declared += ks_callee_read_params(arena, type_before(arena, unit->text.at, at), tokens, &callee);
    }
    if (declared > 0)
        *ks_vec_push(arena, callees) = callee;
}

static bool is_seen(const struct ks_strv *seen, const char *name)
{
    for (size_t i = 0; i < seen->len; i++)
        if (strcmp(seen->at[i], name) == 0)
            return true;
    return false;
}

static void add_method(struct ks_arena *arena, const char *name, const struct ks_word_index *unit, struct ks_callee_list *callees)
{
    struct ks_callee callee = {.name = name};
    const char *method = strchr(name, '.') + 1;
    const char *class = ks_arena_strndup(arena, name, (size_t)(method - name) - 1);
    if (!ks_class_method(arena, unit, class, method, &callee))
        return;
    callee.params = callee.result = callee.body = callee.value = NULL; // its members have no meaning elsewhere
    *ks_vec_push(arena, callees) = callee;
}

// Adds what has that name, and what it calls; whether it is in the list.
static bool add_name(struct ks_arena *arena, const char *name, const struct ks_word_index *unit, struct ks_strv *seen,
                     struct ks_callee_list *callees)
{
    if (is_seen(seen, name))
        return ks_callee_find(callees, name) != NULL;
    const size_t before = callees->len;
    const bool method = strchr(name, '.') != NULL;
    ks_strv_add(arena, seen, name);
    if (method)
        add_method(arena, name, unit, callees);
    else
        look_up(arena, name, unit, callees);
    bool own = !method && ks_callee_is_own(name) && !ks_starts_with(name, "__"); // overloads of the library's need no look
    for (size_t k = 0; callees->len > before && !own && k < callees->at[before].n_texts; k++) {
        const struct ks_callee_text text = callees->at[before].text[k];
        ks_callees_add(arena, &text, unit, seen, callees);
    }
    return ks_callee_find(callees, name) != NULL;
}

void ks_callees_add(struct ks_arena *arena, const struct ks_callee_text *text, const struct ks_word_index *unit,
                    struct ks_strv *seen, struct ks_callee_list *callees)
{
    struct ks_token *first;
    ks_lex_all(arena, ks_slice_of(ks_arena_printf(arena, "%s; %s", text->params, text->body)), false, &first);
    for (const struct ks_token *t = first; t->kind != KS_TOK_END; t++) {
        if (t->kind != KS_TOK_IDENT || !(ks_token_is(t + 1, "(") || ks_token_is(t + 1, "<")))
            continue;
        const char *name = ks_token_text(arena, t);
        if (ks_class_is_method(first, t))
            name = ks_class_called(arena, first, t, text->scope);
        else if (text->scope && !(t > first && ks_token_is(t - 1, "::")) &&
                 add_name(arena, ks_arena_printf(arena, "%s.%s", text->scope, name), unit, seen, callees))
            continue;
        if (name)
            add_name(arena, name, unit, seen, callees);
    }
}

// The methods that the text itself calls, by which it calls them.
static void note_methods(struct ks_arena *arena, struct ks_slice text, struct ks_callee_list *callees)
{
    struct ks_token *first;
    ks_lex_all(arena, text, false, &first);
    for (const struct ks_token *t = first; t->kind != KS_TOK_END; t++) {
        const char *name = t->kind == KS_TOK_IDENT && ks_class_is_method(first, t) ? ks_class_called(arena, first, t, NULL) : NULL;
        if (!name)
            continue;
        ks_vec_grow_(arena, (void **)&callees->methods, &callees->n_methods, &callees->cap_methods, sizeof *callees->methods);
        callees->methods[callees->n_methods - 1] = (struct ks_callee_method){
            ks_arena_printf(arena, "%s%s%s", ks_token_text(arena, t - 2), ks_token_text(arena, t - 1), ks_token_text(arena, t)), name};
    }
}

void ks_callees_find(struct ks_arena *arena, struct ks_slice text, const struct ks_word_index *unit,
                     struct ks_callee_list *callees)
{
    struct ks_strv seen = {0};
    const struct ks_callee_text own = {"", "", ks_arena_strndup(arena, text.at, text.len), NULL};
    *callees = (struct ks_callee_list){0};
    ks_callees_add(arena, &own, unit, &seen, callees);
    ks_callees_objects(arena, text, unit, &seen, callees);
    note_methods(arena, text, callees);
    ks_callees_look(arena, callees);
}
