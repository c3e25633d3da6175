#include "source/declarator.h"

#include "source/signature.h"

static bool any_of(const struct ks_token *token, const char *const *words)
{
    for (; *words; words++)
        if (ks_token_is(token, *words))
            return true;
    return false;
}

// Names whose parenthesis is an attribute's, never a parameter list.
static bool takes_attribute(const struct ks_token *token)
{
    static const char *const words[] = {"__launch_bounds__",
                                        "__attribute__",
                                        "__attribute",
                                        "__declspec",
                                        "__cluster_dims__",
                                        "__block_size__",
                                        "__maxnreg__",
                                        "__maxrregcount__",
                                        "alignas",
                                        "noexcept",
                                        "decltype",
                                        "requires",
                                        "explicit",
                                        "throw",
                                        "__align__",
                                        "sizeof",
                                        "__nv_register_params__",
                                        NULL};
    return any_of(token, words);
}

static bool is_upper(const struct ks_token *token)
{
    for (size_t i = 0; i < token->len; i++)
        if (token->at[i] >= 'a' && token->at[i] <= 'z')
            return false;
    return token->kind == KS_TOK_IDENT;
}

static const char *join(struct ks_arena *arena, const struct ks_stream *s, size_t from, size_t to)
{
    struct ks_buf buf = KS_BUF(1 << 20);
    for (size_t i = from; i < to; i++) {
        if (s->at[i].kind == KS_TOK_DIRECTIVE)
            continue;
        if (buf.len)
            ks_buf_putc(&buf, ' ');
        ks_buf_puts(&buf, ks_token_text(arena, &s->at[i]));
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

static const char *source_text(struct ks_arena *arena, const struct ks_stream *s, size_t from,
                               size_t to)
{
    if (from >= to)
        return "";
    const char *at = s->at[from].at;
    return ks_arena_strndup(arena, at, (size_t)(s->at[to - 1].at - at) + s->at[to - 1].len);
}

// After one item of a comma-separated list in [i, end): the comma, or `end`.
static size_t item_end(const struct ks_stream *s, size_t i, size_t end)
{
    for (; i < end; i++) {
        const struct ks_token *t = &s->at[i];
        if (ks_token_is(t, ",")) {
            return i;
        } else if (ks_token_is(t, "(") || ks_token_is(t, "[") || ks_token_is(t, "{")) {
            i = ks_stream_match(s, i);
        } else if (ks_token_is(t, "<") && i > 0 && s->at[i - 1].kind == KS_TOK_IDENT) {
            size_t close = ks_stream_angle(s, i, end);
            if (close < end)
                i = close;
        }
    }
    return end;
}

static size_t find_default(const struct ks_stream *s, size_t i, size_t end)
{
    for (; i < end; i++) {
        if (ks_stream_is(s, i, "="))
            return i;
        if (ks_stream_is(s, i, "(") || ks_stream_is(s, i, "[") || ks_stream_is(s, i, "{"))
            i = ks_stream_match(s, i);
        else if (ks_stream_is(s, i, "<") && ks_stream_angle(s, i, end) < end)
            i = ks_stream_angle(s, i, end);
    }
    return end;
}

static bool is_type_word(const struct ks_token *token)
{
    static const char *const words[] = {
        "void",  "bool",   "char", "short",    "int",     "long",   "signed", "unsigned",
        "float", "double", "auto", "__int128", "wchar_t", "size_t", "_Bool",  NULL};
    return any_of(token, words);
}

static bool is_qualifier(const struct ks_token *token)
{
    static const char *const words[] = {"const",
                                        "volatile",
                                        "__restrict",
                                        "__restrict__",
                                        "restrict",
                                        "struct",
                                        "class",
                                        "union",
                                        "enum",
                                        "typename",
                                        "__const",
                                        "register",
                                        "__grid_constant__",
                                        NULL};
    return any_of(token, words);
}

// The tokens of one parameter that carry its type, attributes taken out.
struct piece {
    size_t at[512];
    size_t len;
};

static bool collect(const struct ks_stream *s, size_t from, size_t to, struct piece *out)
{
    out->len = 0;
    for (size_t i = from; i < to; i++) {
        if (s->at[i].kind == KS_TOK_DIRECTIVE)
            continue;
        if (ks_stream_is(s, i, "[") && ks_stream_is(s, i + 1, "[")) {
            i = ks_stream_match(s, i);
            continue;
        }
        if (takes_attribute(&s->at[i]) && ks_stream_is(s, i + 1, "(") &&
            !ks_stream_is(s, i, "decltype")) {
            i = ks_stream_match(s, i + 1);
            continue;
        }
        if (out->len == sizeof out->at / sizeof *out->at)
            return false;
        out->at[out->len++] = i;
    }
    return true;
}

// Position in `p` of the declared name, or p->len when the parameter has none.
static size_t declared_name(const struct ks_stream *s, const struct piece *p)
{
    size_t last = p->len, words = 0;
    for (size_t k = 0; k < p->len; k++) {
        const struct ks_token *t = &s->at[p->at[k]];
        if (ks_token_is(t, "<")) { // template arguments are part of the type's word
            size_t close = ks_stream_angle(s, p->at[k], p->at[p->len - 1] + 1);
            while (k + 1 < p->len && p->at[k] < close)
                k++;
            last = p->len;
        } else if (ks_token_is(t, "(")) {
            // decltype(...) is a type; (*name)(...) and (&name)[n] declare inside.
            size_t close = ks_stream_match(s, p->at[k]);
            bool type = k > 0 && ks_stream_is(s, p->at[k - 1], "decltype");
            if (!type && k + 1 < p->len &&
                (ks_stream_is(s, p->at[k + 1], "*") || ks_stream_is(s, p->at[k + 1], "&"))) {
                for (size_t m = k + 2; m < p->len && p->at[m] < close; m++)
                    if (s->at[p->at[m]].kind == KS_TOK_IDENT && !is_qualifier(&s->at[p->at[m]]))
                        return m;
                return p->len;
            }
            while (k + 1 < p->len && p->at[k] < close)
                k++;
            words++;
        } else if (ks_token_is(t, "[")) {
            break;
        } else if (t->kind == KS_TOK_IDENT && !is_qualifier(t)) {
            bool scoped = k > 0 && ks_stream_is(s, p->at[k - 1], "::");
            bool scope = k + 1 < p->len && ks_stream_is(s, p->at[k + 1], "::");
            if (words > 0 && !scoped && !is_type_word(t))
                last = k;
            if (!scope)
                words++;
        }
    }
    return last;
}

static void read_param(struct ks_arena *arena, const struct ks_stream *s, size_t from, size_t to,
                       struct ks_param *param, const char **problem)
{
    struct piece p;
    if (!collect(s, from, find_default(s, from, to), &p)) {
        *problem = "parameter too long to understand";
        return;
    }
    for (size_t k = 0; k < p.len; k++)
        if (ks_stream_is(s, p.at[k], "..."))
            *problem = "parameter pack";
    size_t name = declared_name(s, &p);
    param->name = name < p.len ? ks_token_text(arena, &s->at[p.at[name]]) : "";
    struct ks_buf type = KS_BUF(1 << 16);
    bool decayed = false;
    for (size_t k = 0; k < p.len; k++) {
        // The first dimension of an array parameter is a pointer: float x[16] is float *x.
        bool inside = name < p.len && k > name && ks_stream_is(s, p.at[name] + 1, ")");
        if (ks_stream_is(s, p.at[k], "[") && !decayed && !inside) {
            size_t close = ks_stream_match(s, p.at[k]);
            bool more = ks_stream_is(s, close + 1, "[");
            ks_buf_puts(&type, more ? " (*)" : " *");
            while (k + 1 < p.len && p.at[k] < close)
                k++;
            decayed = true;
        } else if (k != name) {
            ks_buf_putc(&type, ' ');
            ks_buf_puts(&type, ks_token_text(arena, &s->at[p.at[k]]));
        }
    }
    param->type = ks_type_parse(arena, ks_slice_of(ks_buf_text(&type)));
    ks_buf_free(&type);
}

// `auto` among the types makes a template without a head (C++20).
static bool has_auto(const struct ks_stream *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (ks_stream_is(s, i, "auto"))
            return true;
    return false;
}

static void read_params(struct ks_arena *arena, const struct ks_stream *s, size_t open,
                        size_t close, struct ks_kernel_decl *decl)
{
    for (size_t i = open + 1; i < close; i++) {
        if (s->at[i].kind != KS_TOK_DIRECTIVE)
            continue;
        enum ks_directive what = ks_token_directive(&s->at[i], NULL);
        bool cond = what == KS_DIR_IF || what == KS_DIR_ELSE || what == KS_DIR_ENDIF;
        decl->problem = cond ? "conditional parameter list" : "directive in the parameter list";
    }
    bool none = open + 1 == close || (open + 2 == close && ks_stream_is(s, open + 1, "void"));
    if (none)
        return;
    KS_VEC(struct ks_param) params = {0};
    for (size_t i = open + 1; i <= close;) {
        size_t end = item_end(s, i, close);
        read_param(arena, s, i, end, ks_vec_push(arena, &params), &decl->problem);
        if (has_auto(s, i, find_default(s, i, end)))
            decl->is_template = true;
        i = end + 1;
        if (end == close)
            break;
    }
    decl->params = params.at;
    decl->n_params = params.len;
}

// "" for an unnamed template parameter.
static const char *template_param(struct ks_arena *arena, const struct ks_stream *s, size_t from,
                                  size_t to)
{
    struct piece p;
    if (!collect(s, from, find_default(s, from, to), &p) || p.len == 0)
        return "";
    size_t name = declared_name(s, &p);
    const struct ks_token *last = &s->at[p.at[p.len - 1]];
    // `class T` and `typename... T` have only one word that counts: it is the name.
    if (name == p.len && last->kind == KS_TOK_IDENT && !is_type_word(last) && !is_qualifier(last) &&
        p.len > 1 && (ks_stream_is(s, p.at[0], "class") || ks_stream_is(s, p.at[0], "typename")) &&
        !ks_stream_is(s, p.at[p.len - 2], "::"))
        return ks_token_text(arena, last);
    return name < p.len ? ks_token_text(arena, &s->at[p.at[name]]) : "";
}

// Reads `template <...>` heads at `i`; returns the position after them.
static size_t read_template(struct ks_arena *arena, const struct ks_stream *s, size_t i,
                            size_t body, struct ks_kernel_decl *decl)
{
    size_t begin = i;
    KS_VEC(const char *) names = {0};
    while (ks_stream_is(s, i, "template") && ks_stream_is(s, i + 1, "<")) {
        size_t close = ks_stream_angle(s, i + 1, body);
        if (close == body) {
            decl->problem = "template head not understood";
            return i;
        }
        names.len = 0;
        for (size_t k = i + 2; k < close;) {
            size_t end = item_end(s, k, close);
            *ks_vec_push(arena, &names) = template_param(arena, s, k, end);
            k = end + 1;
        }
        for (size_t k = i; k < close; k++)
            if (s->at[k].kind == KS_TOK_DIRECTIVE)
                decl->problem = "conditional template head";
        i = close + 1;
    }
    if (i > begin) {
        decl->is_template = true;
        decl->template_head = join(arena, s, begin, i);
        decl->template_params = names.at;
        decl->n_template_params = names.len;
    }
    return i;
}

// The name and the parameter list: the last parenthesis before the body that no attribute owns.
struct found {
    size_t name, open, close; // name == 0: none
    bool hidden;              // the name is made by a macro
};

static struct found find_params(struct ks_arena *arena, const struct ks_stream *s, size_t begin,
                                size_t body, struct ks_kernel_decl *decl)
{
    struct found f = {0};
    for (size_t i = begin; i < body; i++) {
        const struct ks_token *t = &s->at[i];
        bool named = i > begin && s->at[i - 1].kind == KS_TOK_IDENT;
        if (ks_token_is(t, "->") || (f.name && ks_token_is(t, "requires")))
            break;
        if (ks_token_is(t, "[") && ks_stream_is(s, i + 1, "[")) {
            i = ks_stream_match(s, i);
        } else if (takes_attribute(t) && ks_stream_is(s, i + 1, "(")) {
            size_t close = ks_stream_match(s, i + 1);
            if (ks_token_is(t, "__launch_bounds__"))
                decl->launch_bounds = source_text(arena, s, i + 2, close);
            i = close;
        } else if (ks_token_is(t, "<") && named) {
            size_t close = ks_stream_angle(s, i, body);
            if (close < body && ks_stream_is(s, close + 1, "(")) {
                f = (struct found){i - 1, close + 1, ks_stream_match(s, close + 1), false};
                i = f.close;
            } else if (close < body) {
                i = close;
            }
        } else if (ks_token_is(t, "(")) {
            size_t close = ks_stream_match(s, i);
            if (!named)
                f.hidden = true;
            else if (!f.name || !is_upper(&s->at[i - 1]) || is_upper(&s->at[f.name]))
                f = (struct found){i - 1, i, close, false};
            i = close;
        }
    }
    return f;
}

void ks_declarator_read(struct ks_arena *arena, const struct ks_stream *s, size_t begin,
                        size_t body, struct ks_kernel_decl *decl, const char **path)
{
    decl->name = "";
    decl->template_head = decl->launch_bounds = decl->specialization = *path = "";
    size_t i = read_template(arena, s, begin, body, decl);
    for (size_t k = i; k + 1 < body; k++)
        if (ks_stream_is(s, k, "extern") && s->at[k + 1].kind == KS_TOK_STRING)
            decl->extern_c = ks_stream_is(s, k + 1, "\"C\"");
    struct found f = find_params(arena, s, i, body, decl);
    if (!f.name) {
        decl->problem = "name not understood";
        return;
    }
    decl->name = ks_token_text(arena, &s->at[f.name]);
    if (f.hidden)
        decl->problem = "name made by a macro";
    if (decl->is_template && decl->n_template_params == 0 && f.open > f.name + 1)
        decl->specialization =
            ks_instance_normalise(arena, join(arena, s, f.name + 1, f.open)); // "<int>"
    size_t first = f.name;
    while (first >= 2 && first - 2 >= i && ks_stream_is(s, first - 1, "::") &&
           s->at[first - 2].kind == KS_TOK_IDENT)
        first -= 2;
    for (size_t k = first; k < f.name; k++)
        *path = ks_arena_printf(arena, "%s%s", *path, ks_token_text(arena, &s->at[k]));
    if (!f.hidden)
        read_params(arena, s, f.open, f.close, decl);
}

size_t ks_declarator_begin(const struct ks_stream *s, size_t begin, size_t body)
{
    while (begin < body) {
        if (s->at[begin].kind == KS_TOK_DIRECTIVE) {
            begin++;
            continue;
        }
        if (s->at[begin].kind != KS_TOK_IDENT || takes_attribute(&s->at[begin]) ||
            !ks_stream_is(s, begin + 1, "("))
            break;
        size_t close = ks_stream_match(s, begin + 1);
        if (close + 1 >= body)
            break;
        begin = close + 1;
    }
    return begin;
}
