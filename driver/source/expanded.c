#include "source/expanded.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

// A token of the preprocessed text, and where it stood before.
struct word {
    const char *text;
    int line;
    size_t blanks; // in front of it on its line
    bool directive;
};
struct words {
    struct word *at;
    size_t len, cap;
};

// `# LINE "FILE" ...`: the line that follows, and whether the file is ours.
static bool read_marker(struct ks_slice line, const char *file, int *number, bool *ours)
{
    const char *at = line.at, *end = line.at + line.len;
    if (line.len < 4 || at[0] != '#' || at[1] != ' ' || !isdigit((unsigned char)at[2]))
        return false;
    *number = (int)strtol(at + 2, NULL, 10);
    const char *name = memchr(at, '"', line.len);
    const char *close = name ? memchr(name + 1, '"', (size_t)(end - name - 1)) : NULL;
    if (!close)
        return false;
    struct ks_slice spelled = {name + 1, (size_t)(close - name - 1)};
    const char *base = ks_path_base(file);
    size_t n = strlen(base);
    *ours = ks_slice_eq(spelled, file) ||
            (spelled.len > n && memcmp(close - n, base, n) == 0 && close[-1 - (ptrdiff_t)n] == '/');
    return true;
}

// The text from the beginning of line `wanted` of the file; empty where there is none.
static struct ks_slice find_line(struct ks_slice text, const char *file, int wanted)
{
    bool ours = false;
    int line = 1, number;
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.at + at, '\n', text.len - at);
        struct ks_slice one = {text.at + at, end ? (size_t)(end - text.at) - at : text.len - at};
        if (read_marker(one, file, &number, &ours))
            line = number;
        else if (ours && line++ == wanted)
            return (struct ks_slice){one.at, text.len - at};
        at += one.len + 1;
    }
    return (struct ks_slice){"", 0};
}

static size_t blanks_before(struct ks_slice text, const char *at)
{
    size_t n = 0;
    while (at > text.at && (at[-1] == ' ' || at[-1] == '\t')) {
        at--;
        n++;
    }
    return n;
}

// All words from `first`, which stands on `line`, to the end of the body behind it.
static bool read_words(struct ks_arena *arena, struct ks_slice text, const char *file, int line,
                       const char *first, struct words *words)
{
    struct ks_lexer lexer;
    int offset = line - 1, depth = 0, number;
    bool ours = true;
    ks_lex_begin(&lexer, text, false);
    for (;;) {
        struct ks_token t = ks_lex_next(&lexer);
        if (t.kind == KS_TOK_END)
            return false;
        if (t.kind == KS_TOK_DIRECTIVE &&
            read_marker((struct ks_slice){t.at, t.len}, file, &number, &ours)) {
            offset = number - t.line - 1;
            continue;
        }
        if (words->len == 0 && (!ks_token_is(&t, first) || t.line + offset > line))
            continue;
        struct word *w = ks_vec_push(arena, words);
        *w = (struct word){ks_token_text(arena, &t), t.line + offset, blanks_before(text, t.at),
                           t.kind == KS_TOK_DIRECTIVE};
        if (t.line_start && words->len > 1 && words->at[words->len - 2].line == w->line)
            w->blanks = 1; // the line goes on behind a marker
        if (t.kind == KS_TOK_PUNCT)
            depth += ks_token_is(&t, "{") - ks_token_is(&t, "}");
        if (depth == 0 && ks_token_is(&t, "}"))
            return true;
        if (words->len > 1u << 16)
            return false;
    }
}

// Words that stand for one of CUDA's, at `i`: how many, and which.
static size_t is_qualifier(const struct words *w, size_t i, const char **name)
{
    static const char *const attributes[][2] = {
        {"global", "__global__"},    {"device", "__device__"},
        {"shared", "__shared__"},    {"constant", "__constant__"},
        {"host", "__host__"},        {"launch_bounds", "__launch_bounds__"},
        {"aligned", "__align__"},    {"grid_constant", "__grid_constant__"},
        {"always_inline", "inline"}, {"maxnreg", "__maxnreg__"},
    };
    static const char *const close = ")";
    if (strcmp(w->at[i].text, "__null") == 0) {
        *name = "NULL";
        return 1;
    }
    if (i + 7 < w->len && strcmp(w->at[i + 1].text, "__builtin_inff") == 0 &&
        strcmp(w->at[i].text, "(") == 0) {
        *name = "INFINITY";
        return 5;
    }
    if (i + 5 >= w->len || strcmp(w->at[i].text, "__attribute__") != 0)
        return 0;
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        if (strcmp(w->at[i + 3].text, attributes[k][0]) != 0)
            continue;
        *name = attributes[k][1];
        return strcmp(w->at[i + 4].text, close) == 0 ? 6 : 4; // with arguments the words go on
    }
    return 0;
}

// CUDA's qualifiers as they are written.
static void restore(struct ks_arena *arena, struct words *w)
{
    struct words out = {0};
    for (size_t i = 0; i < w->len;) {
        const char *name;
        size_t n = is_qualifier(w, i, &name);
        struct word *word = ks_vec_push(arena, &out);
        *word = w->at[i];
        i += n ? n : 1;
        if (n == 0)
            continue;
        word->text = name;
        if (n != 4)
            continue;
        int depth = 0; // __attribute__((launch_bounds(256))): one bracket pair stays
        do {
            depth += strcmp(w->at[i].text, "(") == 0;
            depth -= strcmp(w->at[i].text, ")") == 0;
            *ks_vec_push(arena, &out) = w->at[i++];
        } while (i < w->len && depth > 0);
        i += i + 1 < w->len ? 2 : 0;
    }
    *w = out;
}

static const char *join(struct ks_arena *arena, const struct words *w, int line)
{
    struct ks_buf out = KS_BUF(1 << 20);
    for (size_t i = 0; i < w->len; i++) {
        const struct word *word = &w->at[i];
        bool fresh = i == 0 || word->directive || w->at[i - 1].directive;
        for (; line < word->line || (fresh && i > 0); line++, fresh = false)
            ks_buf_putc(&out, '\n');
        ks_buf_printf(&out, "%*s%s", i > 0 ? (int)word->blanks : 0, "", word->text);
    }
    const char *text = out.failed ? NULL : ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

const char *ks_text_restored(struct ks_arena *arena, const char *text)
{
    struct words words = {0};
    struct ks_token *tokens;
    ks_lex_all(arena, ks_slice_of(text), false, &tokens);
    for (; tokens->kind != KS_TOK_END; tokens++)
        if (tokens->kind != KS_TOK_DIRECTIVE)
            *(struct word *)ks_vec_push(arena, &words) = (struct word){
                ks_token_text(arena, tokens), tokens->line, blanks_before(ks_slice_of(text), tokens->at), false};
    restore(arena, &words);
    return words.len > 0 ? join(arena, &words, words.at[0].line) : "";
}

// Whether the words are those of the text.
static bool same(const struct ks_token *tokens, size_t n, const struct words *w)
{
    bool same = n == w->len;
    for (size_t i = 0; same && i < n; i++)
        same = ks_token_is(&tokens[i], w->at[i].text);
    return same;
}

bool ks_kernel_expanded(struct ks_arena *arena, const char *file, struct ks_slice text,
                        const struct ks_kernel_decl *decl, struct ks_slice preprocessed,
                        const char **definition, struct ks_kernel_decl *expanded)
{
    struct words words = {0};
    struct ks_slice from = find_line(preprocessed, file, decl->line);
    struct ks_slice own = {text.at + decl->begin, decl->end - decl->begin};
    struct ks_token *tokens;
    struct ks_kernel_list list;
    struct ks_err err = {0};
    size_t n = ks_lex_all(arena, own, false, &tokens) - 1; // without the end
    const char *first =
        ks_token_is(&tokens[0], "__global__") ? "__attribute__" : ks_token_text(arena, &tokens[0]);
    if (n == 0 || from.len == 0 || !read_words(arena, from, file, decl->line, first, &words))
        return false;
    restore(arena, &words);
    if (same(tokens, n, &words))
        return false;
    *definition = join(arena, &words, decl->line);
    if (!*definition ||
        ks_kernels_find(arena, file, ks_slice_of(*definition), &list, &err) != KS_OK ||
        list.len != 1 || strcmp(list.at[0].name, decl->name) != 0)
        return false;
    *expanded = list.at[0];
    expanded->line = decl->line;
    expanded->qualified = decl->qualified;
    expanded->scopes = decl->scopes;
    expanded->n_scopes = decl->n_scopes;
    expanded->extern_c = decl->extern_c;
    return expanded->n_params == decl->n_params;
}
