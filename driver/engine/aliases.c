// Names of types in a kernel's body written as what they stand for, so that all that reads bodies need know builtin types
// alone; and what says something to the compiler only is left out. Works on the tokens, before the text is parsed.
#include <string.h>

#include "base/vec.h"
#include "engine/edit.h"
#include "engine/reshape.h"
#include "source/lex.h"

struct speller {
    struct ks_arena *arena;
    const struct ks_brief *brief;
    const char *text;
    const struct ks_token *t;
    size_t body, n; // tokens: the body's bracket, and behind the last
    struct ks_alias_list known, used; // types, and by `using std::min;` functions
    struct ks_edit_list edits;
};

static const char *resolved(const struct speller *s, size_t first, size_t end)
{
    const char *from = s->t[first].at, *to = s->t[end - 1].at + s->t[end - 1].len;
    struct ks_slice words = {from, end > first ? (size_t)(to - from) : 0};
    struct ks_type type = ks_type_parse(s->arena, words);
    if (type.elem.size != 0)
        return type.pointer || memchr(words.at, '&', words.len) ? NULL : type.text;
    if (end != first + 1)
        return NULL;
    const char *own = ks_alias_type(&s->known, type.text);
    return own ? own : ks_alias_type(&s->brief->aliases, type.text);
}

static void learn(struct speller *s, const char *name, const char *type)
{
    *ks_vec_push(s->arena, &s->known) = (struct ks_alias){name, type};
}

static void blank(struct speller *s, size_t first, size_t last)
{
    size_t from = (size_t)(s->t[first].at - s->text), to = (size_t)(s->t[last].at - s->text) + s->t[last].len;
    struct ks_buf out = KS_BUF(1u << 16);
    for (size_t i = from; i < to; i++)
        ks_buf_putc(&out, s->text[i] == '\n' ? '\n' : ' ');
    ks_edit_add(s->arena, &s->edits, from, to, ks_arena_strdup(s->arena, ks_buf_text(&out)));
    ks_buf_free(&out);
}

// The token that ends the statement from `i` on, brackets passed over; the last where none does.
static size_t statement_end(const struct speller *s, size_t i)
{
    for (int depth = 0; i + 1 < s->n; i++) {
        depth += ks_token_is(&s->t[i], "(") - ks_token_is(&s->t[i], ")");
        if (depth == 0 && ks_token_is(&s->t[i], ";"))
            break;
    }
    return i;
}

// Whether the kernel declares something of that name, as `float real = 1`: a word that is no keyword stands in front.
static bool is_local(const struct speller *s, const char *name)
{
    static const char *const keywords[] = {"const", "constexpr", "static",  "volatile", "typename",  "return", "sizeof",
                                           "else",  "register",  "typedef", "using",    "__shared__", "extern", "do"};
    for (size_t i = 0; i < s->brief->decl->n_params; i++)
        if (strcmp(s->brief->decl->params[i].name, name) == 0)
            return true;
    for (size_t i = s->body + 1; i < s->n; i++) {
        bool behind = s->t[i - 1].kind == KS_TOK_IDENT && ks_token_is(&s->t[i], name);
        for (size_t k = 0; behind && k < sizeof keywords / sizeof *keywords; k++)
            behind = !ks_token_is(&s->t[i - 1], keywords[k]);
        if (behind)
            return true;
    }
    return false;
}

// `using std::min;` from `i` to `end`, of which the kernel said nothing before: what it is called in full, or NULL.
static const char *full_name(const struct speller *s, size_t i, size_t end)
{
    bool is = end > i + 3;
    for (size_t k = i + 1; k < end && is; k++)
        is = (k - i) % 2 == 1 ? s->t[k].kind == KS_TOK_IDENT : ks_token_is(&s->t[k], "::");
    int depth = 0; // one in a block ends with it
    for (size_t k = 0; k < i && is; k++) {
        depth += k <= s->body ? 0 : ks_token_is(&s->t[k], "{") - ks_token_is(&s->t[k], "}");
        is = !ks_token_is(&s->t[k], ks_token_text(s->arena, &s->t[end - 1]));
    }
    const char *from = s->t[i + 1].at;
    return is && depth == 0
               ? ks_arena_strndup(s->arena, from, (size_t)(s->t[end - 1].at + s->t[end - 1].len - from))
               : NULL;
}

// What assert(C) is for the compiler, `(C ? void(0) : __assert_fail("C", ...));` from `i` on, as a trap where C is false: no
// proposal may hold its texts. Returns the statement's last token, or `i`.
static size_t take_assert(struct speller *s, size_t i)
{
    const struct ks_token *t = s->t;
    size_t end = statement_end(s, i), ask = i, fail;
    bool begins = i > s->body && (ks_token_is(&t[i - 1], ";") || ks_token_is(&t[i - 1], "{") || ks_token_is(&t[i - 1], "}"));
    if (!begins || !ks_token_is(&t[i], "(") || !ks_token_is(&t[end], ";") || !ks_token_is(&t[end - 1], ")"))
        return i;
    for (fail = i; fail < end && !ks_token_is(&t[fail], "__assert_fail"); fail++)
        ask = ks_token_is(&t[fail], "?") ? fail : ask;
    if (ask == i || fail == end || !ks_token_is(&t[fail - 1], ":"))
        return i;
    const char *from = t[i + 1].at, *to = t[ask - 1].at + t[ask - 1].len;
    int lines = t[end].line - t[ask].line;
    char *rest = KS_NEW_ARRAY(s->arena, char, (size_t)lines + 1);
    memset(rest, '\n', (size_t)lines);
    ks_edit_add(s->arena, &s->edits, (size_t)(t[i].at - s->text), (size_t)(t[end].at - s->text) + 1,
                ks_arena_printf(s->arena, "if (!(%.*s)) __trap();%s", (int)(to - from), from, rest));
    return end;
}

// `using N = T;`, `using std::min;`, `typedef T N;`, static_assert(...); from `i` on. Returns the statement's last token, or `i`.
static size_t take_statement(struct speller *s, size_t i)
{
    const struct ks_token *t = s->t;
    size_t end = statement_end(s, i);
    const char *type = NULL, *name = NULL;
    if (!ks_token_is(&t[end], ";"))
        return i;
    if (ks_token_is(&t[i], "static_assert")) {
        blank(s, i, end);
        return end;
    }
    bool whole_std = ks_token_is(&t[i], "using") && ks_token_is(&t[i + 1], "namespace") && ks_token_is(&t[i + 2], "std");
    if (whole_std && end == i + 3) { // CUDA has what a kernel may call of it by its plain name, too
        blank(s, i, end);
        return end;
    }
    if (ks_token_is(&t[i], "using") && ks_token_is(&t[i + 2], "=")) {
        name = ks_token_text(s->arena, &t[i + 1]);
        type = resolved(s, i + 3, end);
    } else if (ks_token_is(&t[i], "using") && ks_token_is(&t[i + 2], "::")) {
        const char *full = full_name(s, i, end);
        name = ks_token_text(s->arena, &t[end - 1]);
        type = full ? resolved(s, i + 1, end) : NULL;
        if (full && type == NULL && !is_local(s, name)) {
            *ks_vec_push(s->arena, &s->used) = (struct ks_alias){name, full};
            blank(s, i, end);
            return end;
        }
    } else if (ks_token_is(&t[i], "typedef") && end > i + 2) {
        name = ks_token_text(s->arena, &t[end - 1]);
        type = resolved(s, i + 1, end - 1);
    }
    if (type == NULL || ks_alias_type(&s->known, name) != NULL) // another of that name: whichever it is, it stays
        return i;
    learn(s, name, type);
    blank(s, i, end);
    return end;
}

static void take_attribute(struct speller *s, size_t i)
{
    static const char *const silent[] = {"likely", "unlikely", "maybe_unused"};
    bool is = i + 4 < s->n && ks_token_is(&s->t[i], "[") && ks_token_is(&s->t[i + 1], "[") &&
              ks_token_is(&s->t[i + 3], "]") && ks_token_is(&s->t[i + 4], "]");
    for (size_t k = 0; is && k < sizeof silent / sizeof *silent; k++)
        if (ks_token_is(&s->t[i + 2], silent[k]))
            blank(s, i, i + 4);
}

// `unsigned int(x)` is no expression: a type of several words stays by its name there.
static void spell(struct speller *s, const char *name, const char *type)
{
    for (size_t i = s->body + 1; i < s->n; i++) {
        const struct ks_token *before = &s->t[i - 1], *behind = &s->t[i + 1];
        if (s->t[i].kind != KS_TOK_IDENT || !ks_token_is(&s->t[i], name) || ks_token_is(before, "::") ||
            ks_token_is(before, ".") || ks_token_is(before, "->") || ks_token_is(behind, "::"))
            continue;
        if (strchr(type, ' ') && (ks_token_is(behind, "(") || ks_token_is(behind, "{")))
            continue;
        size_t from = (size_t)(s->t[i].at - s->text);
        ks_edit_add(s->arena, &s->edits, from, from + s->t[i].len, type);
    }
}

static const char *edited(struct speller *s)
{
    return s->edits.len ? ks_edit_apply(s->arena, &s->edits, ks_slice_of(s->text), 0, strlen(s->text)) : s->text;
}

static void read_text(struct speller *s, const char *text, size_t body)
{
    struct ks_token *tokens;
    s->text = text;
    s->n = ks_lex_all(s->arena, ks_slice_of(text), false, &tokens);
    s->t = tokens;
    s->edits = (struct ks_edit_list){0};
    for (s->body = 0; s->body + 1 < s->n && s->t[s->body].at < text + body; s->body++) {
    }
}

const char *ks_aliases_written_out(struct ks_arena *arena, const struct ks_brief *brief, const char *text, size_t body)
{
    const struct ks_kernel_decl *decl = brief->decl;
    const struct ks_signature *signature = brief->signature;
    struct speller s = {.arena = arena, .brief = brief};
    for (size_t i = 0; i < decl->n_template_params; i++) { // hides what the program calls so
        const char *arg = signature && i < signature->n_template_args ? signature->template_args[i] : "";
        struct ks_type type = ks_type_parse(arena, ks_slice_of(arg));
        learn(&s, decl->template_params[i], type.elem.size && !type.pointer ? arg : NULL);
    }
    read_text(&s, text, body);
    for (size_t i = 0; i < s.n; i++)
        take_attribute(&s, i);
    for (size_t i = s.body + 1; i < s.n; i++)
        i = ks_token_is(&s.t[i], "(") ? take_assert(&s, i) : take_statement(&s, i);
    for (size_t i = 0; i < brief->aliases.len; i++) // hidden by what the kernel itself calls so
        learn(&s, brief->aliases.at[i].name, brief->aliases.at[i].type);
    read_text(&s, edited(&s), body);
    for (size_t i = 0; i < s.known.len; i++) {
        const char *name = s.known.at[i].name, *type = s.known.at[i].type;
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= strcmp(s.known.at[k].name, name) != 0;
        if (first && type != NULL && !is_local(&s, name) && !ks_callee_find(&brief->callees, name))
            spell(&s, name, type);
    }
    for (size_t i = 0; i < s.used.len; i++)
        spell(&s, s.used.at[i].name, s.used.at[i].type);
    return edited(&s);
}
