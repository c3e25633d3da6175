#include "source/kernel.h"

#include "source/declarator.h"

// An open `namespace ... {` or `extern "C" {`.
struct open_scope {
    size_t names; // how many namespaces its brace opened
    bool extern_c;
};

struct finder {
    struct ks_arena *arena;
    const char *file;
    struct ks_stream stream;
    struct ks_kernel_list *kernels;
    KS_VEC(struct open_scope) open;
    KS_VEC(const char *) scopes;
    struct ks_err *err;
};

// Position of a word at bracket depth 0 of [from, to), or `to`.
static size_t find_word(const struct ks_stream *s, size_t from, size_t to, const char *word)
{
    for (size_t i = from; i < to; i++) {
        if (ks_stream_is(s, i, word))
            return i;
        if (ks_stream_is(s, i, "(") || ks_stream_is(s, i, "["))
            i = ks_stream_match(s, i);
    }
    return to;
}

// Last word of [from, to) that is no directive; `to` if none.
static size_t last_token(const struct ks_stream *s, size_t from, size_t to)
{
    for (size_t i = to; i-- > from;)
        if (s->at[i].kind != KS_TOK_DIRECTIVE)
            return i;
    return to;
}

// Opens the namespaces that [from, brace) names, the word `namespace` at `from`.
static void open_namespace(struct finder *f, size_t from, size_t brace)
{
    const struct ks_stream *s = &f->stream;
    bool extern_c = f->open.len > 0 && f->open.at[f->open.len - 1].extern_c;
    struct open_scope *scope = ks_vec_push(f->arena, &f->open);
    scope->extern_c = extern_c;
    for (size_t i = from + 1; i < brace; i++) {
        if (ks_stream_is(s, i, "[")) {
            i = ks_stream_match(s, i);
        } else if (ks_stream_is(s, i + 1, "(")) {
            i = ks_stream_match(s, i + 1); // __attribute__((visibility("default")))
        } else if (s->at[i].kind == KS_TOK_IDENT && !ks_stream_is(s, i, "inline")) {
            *ks_vec_push(f->arena, &f->scopes) = ks_token_text(f->arena, &s->at[i]);
            scope->names++;
        }
    }
    if (scope->names == 0) {
        *ks_vec_push(f->arena, &f->scopes) = "";
        scope->names = 1;
    }
}

static void name_kernel(struct finder *f, struct ks_kernel_decl *decl, const char *path)
{
    decl->n_scopes = f->scopes.len;
    decl->scopes = KS_NEW_ARRAY(f->arena, const char *, f->scopes.len);
    const char *qualified = "";
    for (size_t i = 0; i < f->scopes.len; i++) {
        decl->scopes[i] = f->scopes.at[i];
        if (*decl->scopes[i])
            qualified = ks_arena_printf(f->arena, "%s%s::", qualified, decl->scopes[i]);
    }
    decl->qualified = ks_arena_printf(f->arena, "%s%s%s", qualified, path, decl->name);
}

// A definition whose declaration is [from, brace). *end receives the position of its '}'.
static enum ks_status add_kernel(struct finder *f, size_t from, size_t brace, size_t *end)
{
    const struct ks_stream *s = &f->stream;
    size_t begin = ks_declarator_begin(s, from, brace);
    struct ks_kernel_decl decl = {.line = s->at[begin].line};
    if (f->open.len > 0)
        decl.extern_c = f->open.at[f->open.len - 1].extern_c;
    const char *path;
    ks_declarator_read(f->arena, s, begin, brace, &decl, &path);
    name_kernel(f, &decl, path);
    *end = ks_stream_match(s, brace);
    if (*end >= s->len)
        KS_FAIL(f->err, KS_E_USER,
                "%s:%d: kernel %s is never closed: no '}' matches the '{' on line %d; add it, or "
                "look for a brace that stands in only one arm of an #if",
                f->file, decl.line, *decl.name ? decl.name : "(unnamed)", s->at[brace].line);
    int arm = s->arm[begin];
    if (!decl.problem && (s->arm[brace] != arm || s->arm[*end] != arm))
        decl.problem = "braces duplicated across #if and #else";
    for (size_t i = brace; i < *end && !decl.problem; i++)
        if (s->uneven[i] && ks_token_directive(&s->at[i], NULL) == KS_DIR_IF)
            decl.problem = "the arms of an #if in the body differ in their braces";
    decl.begin = ks_stream_offset(s, begin);
    decl.body = ks_stream_offset(s, brace);
    decl.end = ks_stream_offset(s, *end) + 1;
    *ks_vec_push(f->arena, f->kernels) = decl;
    return KS_OK;
}

// A '{' at namespace scope, behind the declaration tokens [from, i). Moves *i to where reading goes
// on; *whole tells whether the declaration ended there.
static enum ks_status read_brace(struct finder *f, size_t from, size_t *i, bool *whole)
{
    const struct ks_stream *s = &f->stream;
    size_t brace = *i, last = last_token(s, from, brace);
    *whole = true;
    size_t word = find_word(s, from, brace, "namespace");
    if (word < brace && find_word(s, from, brace, "using") == brace) {
        open_namespace(f, word, brace);
        return KS_OK;
    }
    if (last < brace && last > from && s->at[last].kind == KS_TOK_STRING &&
        ks_stream_is(s, last - 1, "extern")) {
        struct open_scope *scope = ks_vec_push(f->arena, &f->open);
        scope->extern_c = ks_stream_is(s, last, "\"C\"");
        return KS_OK;
    }
    // requires { ... } and requires (T t) { ... } are expressions in front of the declaration.
    bool requirement = last < brace && ks_stream_is(s, last, "requires");
    for (size_t k = from; k < brace && !requirement; k++)
        requirement = ks_stream_is(s, k, "requires") && ks_stream_is(s, k + 1, "(") &&
                      ks_stream_match(s, k + 1) == last;
    if (!requirement && find_word(s, from, brace, "__global__") < brace)
        return add_kernel(f, from, brace, i);
    *whole = !requirement && !(last < brace && ks_stream_is(s, last, "="));
    size_t close = ks_stream_match(s, brace);
    *i = close < s->len ? close : s->len - 1;
    return KS_OK;
}

static void close_scope(struct finder *f)
{
    if (f->open.len == 0)
        return;
    f->scopes.len -= f->open.at[f->open.len - 1].names;
    f->open.len--;
}

static enum ks_status read_declarations(struct finder *f)
{
    const struct ks_stream *s = &f->stream;
    size_t from = 0; // first token of the declaration being read
    for (size_t i = 0; i < s->len; i++) {
        bool whole = false;
        if (s->at[i].kind == KS_TOK_DIRECTIVE) {
            whole = from == i;
        } else if (ks_stream_is(s, i, ";")) {
            whole = true;
        } else if (ks_stream_is(s, i, "}")) {
            close_scope(f);
            whole = true;
        } else if (ks_stream_is(s, i, "{")) {
            KS_TRY(read_brace(f, from, &i, &whole));
        } else if (ks_stream_is(s, i, "(")) {
            size_t close = ks_stream_match(s, i);
            if (close < s->len)
                i = close;
            else if (find_word(s, from, i, "__global__") < i)
                KS_FAIL(f->err, KS_E_USER,
                        "%s:%d: the parameter list of a kernel is never closed: no ')' matches the "
                        "'(' on this line; add it",
                        f->file, s->at[i].line);
        }
        if (whole)
            from = i + 1;
    }
    return KS_OK;
}

enum ks_status ks_kernels_find(struct ks_arena *arena, const char *file, struct ks_slice text,
                               struct ks_kernel_list *kernels, struct ks_err *err)
{
    struct finder f = {.arena = arena, .file = file, .kernels = kernels, .err = err};
    *kernels = (struct ks_kernel_list){0};
    // Most files of a closure hold no kernel; do not pay for their tokens.
    if (text.len == 0 || !memmem(text.at, text.len, "__global__", 10))
        return KS_OK;
    struct ks_arena scratch = {0}; // tokens take twenty times the text's memory
    f.stream = ks_stream_read(&scratch, text);
    enum ks_status status = read_declarations(&f);
    ks_arena_free(&scratch);
    return status;
}
