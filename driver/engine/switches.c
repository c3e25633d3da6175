// `switch` written as a chain of `if ... else if`, so that all that reads bodies need know of one kind of branch. Works
// on the tokens, before the text is parsed, and leaves alone what falls through from one case into the next, is left
// from within, or chooses by what may change: the parser refuses these by line. `if (int i = f(); i < n)` and such a
// `switch` become blocks that begin with the declaration.
#include <string.h>

#include "engine/edit.h"
#include "engine/reshape.h"
#include "source/lex.h"

enum { GROUPS_MAX = 64 };

struct group {              // one or more labels, and what they lead to
    size_t label, body, end; // tokens: the first label, the first behind the last label's colon, the next group or the brace
    size_t leave;           // the `break`, `return` or `continue` that ends it, or 0
    bool braces;            // which stands at the end of a block that is all of it
    bool chosen_else;       // has `default`
};
struct switching {
    struct ks_arena *arena;
    const struct ks_token *t;
    const char *text;
    size_t open, close; // tokens of the braces
    const char *value;
    struct group group[GROUPS_MAX];
    size_t n;
};

static bool is(const struct ks_token *token, const char *text)
{
    return token->kind != KS_TOK_STRING && token->kind != KS_TOK_COMMENT && ks_token_is(token, text);
}

static bool is_one_of(const struct ks_token *token, const char *const *words)
{
    for (; *words != NULL; words++)
        if (is(token, *words))
            return true;
    return false;
}

// The bracket that closes the one at `open`, or 0.
static size_t closing(const struct ks_token *t, size_t open)
{
    int depth = 0;
    for (size_t i = open; t[i].kind != KS_TOK_END; i++) {
        depth += is(&t[i], "(") || is(&t[i], "{") || is(&t[i], "[");
        depth -= is(&t[i], ")") || is(&t[i], "}") || is(&t[i], "]");
        if (depth == 0)
            return i;
    }
    return 0;
}

static const char *between(const struct switching *s, size_t first, size_t end)
{
    const char *from = s->t[first].at, *to = s->t[end - 1].at + s->t[end - 1].len;
    return ks_arena_strndup(s->arena, from, (size_t)(to - from));
}

// Evaluating it again gives the same: no changes, no calls.
static bool is_steady(const struct ks_token *t, size_t first, size_t end)
{
    static const char *const allowed[] = {"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<<", ">>", ".", "->", "[",
                                          "]", "(", ")", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "::", NULL};
    bool steady = end > first;
    for (size_t i = first; i < end && steady; i++)
        steady = t[i].kind == KS_TOK_NUMBER || (t[i].kind == KS_TOK_IDENT && !is(&t[i + 1], "(")) ||
                 is_one_of(&t[i], allowed);
    return steady;
}

// Where the braces end that belong to a loop or another switch beginning at `i`, or 0.
static size_t inner_end(const struct ks_token *t, size_t i)
{
    size_t open = is(&t[i], "do") ? i + 1 : 0;
    if ((is(&t[i], "for") || is(&t[i], "while") || is(&t[i], "switch")) && is(&t[i + 1], "("))
        open = closing(t, i + 1) + 1;
    return open > 1 && is(&t[open], "{") ? closing(t, open) : 0;
}

// No `break` of a group but its last statement leaves the switch, and nothing is declared that a later group sees.
static bool is_closed(const struct switching *s, const struct group *g, bool last)
{
    static const char *const no_types[] = {"else", "return", "goto", NULL};
    int depth = 0;
    for (size_t i = g->body; i < g->end; i++) {
        const struct ks_token *t = &s->t[i];
        size_t end = inner_end(s->t, i);
        if (end > 0) {
            i = end;
            continue;
        }
        bool begins = i == g->body || is(&t[-1], ";") || is(&t[-1], "}");
        if (is(t, "break") && i != g->leave)
            return false;
        if (!last && depth == 0 && begins && t->kind == KS_TOK_IDENT && t[1].kind == KS_TOK_IDENT && !is_one_of(t, no_types))
            return false;
        depth += is(t, "{") - is(t, "}");
    }
    return true;
}

// How a group ends; false: it falls through.
static bool find_leave(const struct switching *s, struct group *g, bool last)
{
    static const char *const leaving[] = {"break", "return", "continue", NULL};
    size_t end = g->end;
    g->braces = end > g->body + 1 && is(&s->t[g->body], "{") && closing(s->t, g->body) == end - 1;
    end -= g->braces;
    size_t begin = g->body + g->braces;
    if (end >= begin + 2 && is(&s->t[end - 1], ";") && is_one_of(&s->t[end - 2], leaving) &&
        (end - 2 == begin || is(&s->t[end - 3], ";") || is(&s->t[end - 3], "}")))
        g->leave = end - 2;
    return g->leave > 0 || last;
}

static bool find_groups(struct switching *s)
{
    size_t i = s->open + 1;
    while (i < s->close) {
        if (s->n == GROUPS_MAX)
            return false;
        struct group *g = &s->group[s->n++];
        *g = (struct group){.label = i};
        if (!is(&s->t[i], "case") && !is(&s->t[i], "default"))
            return false;
        while (is(&s->t[i], "case") || is(&s->t[i], "default")) {
            g->chosen_else |= is(&s->t[i], "default");
            for (i++; i < s->close && !is(&s->t[i], ":"); i++)
                if (is(&s->t[i], "?") || is(&s->t[i], "..."))
                    return false;
            i++;
        }
        for (g->body = i; i < s->close && !is(&s->t[i], "case") && !is(&s->t[i], "default"); i++)
            if (is(&s->t[i], "{") || is(&s->t[i], "(") || is(&s->t[i], "["))
                i = closing(s->t, i);
        g->end = i;
    }
    for (size_t k = 0; k < s->n; k++)
        if (!find_leave(s, &s->group[k], k + 1 == s->n) || !is_closed(s, &s->group[k], k + 1 == s->n))
            return false;
    return s->n > 0;
}

static void add_labels(const struct switching *s, const struct group *g, struct ks_buf *out)
{
    for (size_t i = g->label; i < g->body; i++) {
        size_t first = i + 1;
        bool otherwise = is(&s->t[i], "default");
        for (; i < g->body && !is(&s->t[i], ":"); i++) {}
        if (!otherwise)
            ks_buf_printf(out, "%s(%s) == (%s)", out->len > 0 ? " || " : "", s->value, between(s, first, i));
    }
}

// The ends of lines between two tokens, so that what follows stays on its line.
static const char *lines(const struct switching *s, size_t first, size_t end)
{
    struct ks_buf out = KS_BUF(1 << 12);
    for (const char *c = s->t[first].at; c < s->t[end].at; c++)
        if (*c == '\n')
            ks_buf_puts(&out, "\n");
    const char *text = ks_arena_strdup(s->arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

// "if (c == 1 || c == 2) {", "else {", "if (!(c == 1)) {" of a `default` that stands before others.
static const char *head(const struct switching *s, size_t at)
{
    const struct group *g = &s->group[at];
    struct ks_buf condition = KS_BUF(1 << 16);
    if (g->chosen_else) // of what is left none of the later ones: whatever its own labels are
        for (size_t k = at + 1; k < s->n; k++)
            add_labels(s, &s->group[k], &condition);
    else
        add_labels(s, g, &condition);
    const char *before = at > 0 ? "else " : "", *behind = lines(s, g->label, g->body - 1), *text;
    if (condition.len == 0)
        text = ks_arena_printf(s->arena, "%s{%s", before, behind);
    else
        text = ks_arena_printf(s->arena, g->chosen_else ? "%sif (!(%s)) {%s" : "%sif (%s) {%s", before,
                               ks_buf_text(&condition), behind);
    ks_buf_free(&condition);
    return text;
}

static void write_chain(const struct switching *s, size_t word, struct ks_edit_list *edits)
{
    const struct ks_token *t = s->t;
    size_t from = (size_t)(t[word].at - s->text);
    ks_edit_add(s->arena, edits, from, (size_t)(t[s->open].at - s->text), lines(s, word, s->open));
    for (size_t k = 0; k < s->n; k++) {
        const struct group *g = &s->group[k];
        const struct ks_token *colon = &t[g->body - 1], *leave = &t[g->leave];
        ks_edit_add(s->arena, edits, (size_t)(t[g->label].at - s->text), (size_t)(colon->at + 1 - s->text), head(s, k));
        if (g->leave > 0 && is(leave, "break"))
            ks_edit_add(s->arena, edits, (size_t)(leave->at - s->text), (size_t)(leave[1].at + 1 - s->text), "");
        size_t end = (size_t)(t[g->end - 1].at + t[g->end - 1].len - s->text);
        ks_edit_add(s->arena, edits, end, end, " }");
    }
}

// The first token behind the statement that begins at `i`, or 0.
static size_t behind(const struct ks_token *t, size_t i)
{
    size_t end;
    while (t[i].kind == KS_TOK_DIRECTIVE)
        i++;
    if (is(&t[i], "{"))
        return (end = closing(t, i)) > 0 ? end + 1 : 0;
    if (is(&t[i], "do"))
        return (end = behind(t, i + 1)) > 0 && is(&t[end], "while") ? behind(t, end + 1) : 0;
    const bool branch = is(&t[i], "if");
    if (branch || is(&t[i], "for") || is(&t[i], "while") || is(&t[i], "switch")) {
        i += branch && is(&t[i + 1], "constexpr");
        end = is(&t[i + 1], "(") ? closing(t, i + 1) : 0;
        end = end > 0 ? behind(t, end + 1) : 0;
        return branch && end > 0 && is(&t[end], "else") ? behind(t, end + 1) : end;
    }
    if (is(&t[i], "[")) // an attribute
        return 0;
    for (; t[i].kind != KS_TOK_END && !is(&t[i], "}"); i++) {
        if (is(&t[i], ";"))
            return i + 1;
        if (is(&t[i], "(") || is(&t[i], "{") || is(&t[i], "["))
            i = closing(t, i);
        if (i == 0)
            break;
    }
    return 0;
}

// Whether what `if (int i = f(); i < n)` declares, from `first` to `end`, could as well be declared in front of a statement
// that is the body's last: its names are new.
static bool is_new(const struct ks_token *t, size_t first, size_t end)
{
    bool any = false;
    for (size_t k = first + 2; k < end; k++) {
        const struct ks_token *name = &t[k - 1];
        bool given = is(&t[k], "=") && name->kind == KS_TOK_IDENT;
        for (size_t i = 0; i < first && given; i++)
            if (t[i].kind == KS_TOK_IDENT && t[i].len == name->len && memcmp(t[i].at, name->at, name->len) == 0)
                return false;
        any |= given;
    }
    return any;
}

static const char *initialisers_written_out(struct ks_arena *arena, const char *text, size_t body)
{
    struct ks_token *t;
    struct ks_edit_list edits = {0};
    size_t n = ks_lex_all(arena, ks_slice_of(text), false, &t);
    for (size_t i = 0; i < n; i++) {
        if (t[i].at < text + body || (!is(&t[i], "if") && !is(&t[i], "switch")))
            continue;
        size_t open = i + 1 + is(&t[i + 1], "constexpr");
        size_t close = is(&t[open], "(") ? closing(t, open) : 0, first = open + 1, end = behind(t, i);
        for (; first < close && !is(&t[first], ";"); first++) // brackets in there are closed in there
            first = is(&t[first], "(") || is(&t[first], "{") || is(&t[first], "[") ? closing(t, first) : first;
        if (first >= close || end == 0)
            continue;
        const char *inside = t[open].at + 1, *semicolon = t[first].at, *behind_all = t[end - 1].at + t[end - 1].len;
        bool last = t[end + 1].kind == KS_TOK_END && is_new(t, open + 1, first); // only the body's bracket is left
        ks_edit_add(arena, &edits, (size_t)(t[i].at - text), (size_t)(semicolon + 1 - text),
                    ks_arena_printf(arena, "%s%.*s; %.*s", last ? "" : "{ ", (int)(semicolon - inside), inside,
                                    (int)(inside - t[i].at), t[i].at));
        ks_edit_add(arena, &edits, (size_t)(behind_all - text), (size_t)(behind_all - text), last ? "" : " }");
    }
    return edits.len > 0 ? ks_edit_apply(arena, &edits, ks_slice_of(text), 0, strlen(text)) : text;
}

const char *ks_switches_written_out(struct ks_arena *arena, const char *text, size_t body)
{
    struct ks_token *t;
    struct ks_edit_list edits = {0};
    text = initialisers_written_out(arena, text, body);
    size_t n = ks_lex_all(arena, ks_slice_of(text), false, &t);
    for (size_t i = 0; i < n; i++) {
        if (t[i].at < text + body || !is(&t[i], "switch") || !is(&t[i + 1], "("))
            continue;
        struct switching *s = KS_NEW(arena, struct switching);
        size_t end = closing(t, i + 1);
        *s = (struct switching){.arena = arena, .t = t, .text = text, .open = end + 1};
        s->close = end > 0 && is(&t[end + 1], "{") ? closing(t, end + 1) : 0;
        if (s->close == 0 || !is_steady(t, i + 2, end))
            continue;
        s->value = between(s, i + 2, end);
        if (find_groups(s))
            write_chain(s, i, &edits);
    }
    return edits.len > 0 ? ks_edit_apply(arena, &edits, ks_slice_of(text), 0, strlen(text)) : text;
}
