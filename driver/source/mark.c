#include "source/mark.h"

#include <ctype.h>

#include "source/clause.h"
#include "source/scan.h"

// A run of text that holds directives: one pragma, or a block of consecutive `// ks:` lines.
struct block {
    bool pragma;
    bool own_line; // nothing but comments before it on its line
    int line;
    const char *text;  // clean, as struct ks_clause_text wants it
    size_t begin, end; // in the file
    size_t next;       // token behind it
};

struct finder {
    struct ks_arena *arena;
    const char *file;
    const char *base;
    const struct ks_token *tokens; // with comments; ends with KS_TOK_END
    const struct ks_kernel_list *kernels;
    struct ks_mark_list *marks;
    struct ks_err *err; // of the block that is read
    bool any; // a mark was read already
};

static const char *const directives[] = {"optimize", "workload", "off", NULL};

static size_t offset(const struct finder *f, const struct ks_token *t)
{
    return (size_t)(t->at - f->base);
}

// What stands behind `#pragma ks` or `// ks:`; false if the token is no mark.
static bool mark_text(const struct ks_token *t, struct ks_slice *rest)
{
    if (t->kind == KS_TOK_DIRECTIVE) {
        if (ks_token_directive(t, rest) != KS_DIR_PRAGMA)
            return false;
        struct ks_lexer lx;
        ks_lex_begin(&lx, *rest, false);
        lx.at_line_start = false;
        struct ks_token word = ks_lex_next(&lx);
        // The text begins behind `ks` wherever splices and comments have put that.
        const char *end = t->at + t->len;
        rest->at += lx.pos;
        rest->len = (size_t)(end - rest->at);
        return ks_token_is(&word, "ks");
    }
    if (t->kind != KS_TOK_COMMENT || t->len < 5 || t->at[1] != '/')
        return false;
    size_t i = 2;
    while (i < t->len && (t->at[i] == ' ' || t->at[i] == '\t'))
        i++;
    if (t->len - i < 3 || memcmp(t->at + i, "ks:", 3) != 0)
        return false;
    *rest = (struct ks_slice){t->at + i + 3, t->len - i - 3};
    return true;
}

// Appends text with splices as newlines and comments as blanks, so that lines can be counted.
static void add_clean(struct ks_buf *out, struct ks_slice text)
{
    const char *p = text.at, *end = text.at + text.len;
    while (p < end) {
        const char *q = p + 1;
        if (*p == '"') {
            while (q < end && *q != '"' && *q != '\n')
                q++;
            q = q < end ? q + 1 : end;
            ks_buf_add(out, p, (size_t)(q - p));
        } else if (*p == '\\') {
            while (q < end && (*q == ' ' || *q == '\t' || *q == '\r'))
                q++;
            bool splice = q < end && *q == '\n';
            ks_buf_putc(out, splice ? '\n' : '\\');
            q = splice ? q + 1 : p + 1;
        } else if (*p == '/' && q < end && (*q == '/' || *q == '*')) {
            const char *close = *q == '*' ? memmem(p + 2, (size_t)(end - p) - 2, "*/", 2) : NULL;
            const char *stop = close ? close + 2 : end;
            for (q = p; q < stop; q++)
                ks_buf_putc(out, *q == '\n' ? '\n' : ' ');
        } else {
            ks_buf_putc(out, *p == '\r' ? ' ' : *p);
        }
        p = q;
    }
}

static int newlines(const struct ks_token *t)
{
    int n = 0;
    for (size_t i = 0; i < t->len; i++)
        n += t->at[i] == '\n';
    return n;
}

// The block whose first token is `i`; false if no mark begins there.
static bool read_block(const struct finder *f, size_t i, struct block *b)
{
    struct ks_slice rest;
    const struct ks_token *t = &f->tokens[i];
    if (!mark_text(t, &rest))
        return false;
    struct ks_buf text = KS_BUF(1 << 20);
    *b = (struct block){.pragma = t->kind == KS_TOK_DIRECTIVE,
                        .own_line = t->line_start,
                        .line = t->line,
                        .begin = offset(f, t),
                        .end = offset(f, t) + t->len,
                        .next = i + 1};
    // Lines are counted from the mark's own; `ks` may stand behind a splice.
    for (const char *p = t->at; p < rest.at; p++)
        if (*p == '\n')
            ks_buf_putc(&text, '\n');
    add_clean(&text, rest);
    int line = t->line + newlines(t);
    while (!b->pragma && t->line_start) {
        const struct ks_token *n = &f->tokens[b->next];
        if (n->kind != KS_TOK_COMMENT || n->line != line + 1 || !n->line_start ||
            !mark_text(n, &rest))
            break;
        ks_buf_putc(&text, '\n');
        add_clean(&text, rest);
        line = n->line + newlines(n);
        b->end = offset(f, n) + n->len;
        b->next++;
    }
    b->text = ks_arena_strdup(f->arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return true;
}

// First token behind a block that is neither comment nor mark.
static const struct ks_token *behind(const struct finder *f, const struct block *b)
{
    struct ks_slice rest;
    size_t i = b->next;
    while (f->tokens[i].kind == KS_TOK_COMMENT || mark_text(&f->tokens[i], &rest))
        i++;
    return &f->tokens[i];
}

// The kernel whose declaration begins at `t`, or goes on there before its `__global__` is out.
static const struct ks_kernel_decl *bound_kernel(const struct finder *f, const struct ks_token *t)
{
    size_t at = offset(f, t);
    ks_vec_each (const struct ks_kernel_decl, k, f->kernels) {
        if (at < k->begin || at >= k->body || t->kind == KS_TOK_END)
            continue;
        for (const struct ks_token *p = t; offset(f, p) < k->body; p++)
            if (ks_token_is(p, "__global__"))
                return k;
    }
    return NULL;
}

static const char *quote_of(struct ks_arena *arena, const struct ks_token *t)
{
    size_t n = 0;
    while (n < t->len && n < 40 && t->at[n] != '\n')
        n++;
    return ks_arena_strndup(arena, t->at, n);
}

// Why a block binds to nothing, in the words of what stands there.
static enum ks_status fail_unbound(const struct finder *f, const struct ks_clause_text *ct,
                                   const char *at, const struct block *b, const struct ks_token *t)
{
    ks_vec_each (const struct ks_kernel_decl, k, f->kernels) {
        if (b->begin > k->body && b->begin < k->end)
            return ks_clause_fail(ct, at,
                                  "a mark inside the body of kernel %s; put it above the "
                                  "kernel",
                                  k->qualified);
        if (b->begin > k->begin && b->begin < k->body)
            return ks_clause_fail(ct, at,
                                  "a mark inside the declaration of kernel %s; put it above "
                                  "the kernel",
                                  k->qualified);
    }
    if (t->kind == KS_TOK_END)
        return ks_clause_fail(ct, at,
                              "no kernel follows this mark; put it right above the "
                              "__global__ function that it is meant for");
    for (const struct ks_token *p = t; p->kind != KS_TOK_END; p++) {
        if (ks_token_is(p, "{") || ks_token_is(p, "}"))
            break;
        if (ks_token_is(p, ";")) {
            for (const struct ks_token *g = t; g < p; g++)
                if (ks_token_is(g, "__global__"))
                    return ks_clause_fail(ct, at,
                                          "the kernel declared on line %d has no body here; "
                                          "mark its definition instead",
                                          t->line);
            break;
        }
    }
    return ks_clause_fail(ct, at,
                          "'%s' on line %d stands between this mark and a kernel; only "
                          "template heads, attributes and comments may, so move the mark down; a kernel "
                          "is found by its __global__, which no macro may hide",
                          quote_of(f->arena, t), t->line);
}

static struct ks_mark *mark_of(const struct finder *f, const struct ks_kernel_decl *kernel)
{
    ks_vec_each (struct ks_mark, m, f->marks)
        if (m->kernel == kernel)
            return m;
    return NULL;
}

static struct ks_mark *new_mark(struct finder *f, const struct ks_kernel_decl *kernel,
                                const struct block *b, int line)
{
    struct ks_mark *m = ks_vec_push(f->arena, f->marks);
    *m = (struct ks_mark){.file = f->file, .line = line, .name = "", .kernel = kernel};
    if (b->pragma) {
        m->text_begin = b->begin;
        m->text_end = b->end;
    }
    return m;
}

static enum ks_status read_off(struct finder *f, struct ks_clause_text *ct, const char *at,
                               const struct block *b, const struct ks_kernel_decl *kernel)
{
    if (ct->at[strspn(ct->at, " \t\n")] != '\0')
        return ks_clause_fail(ct, ct->at, "'off' takes no clauses");
    if (kernel) {
        struct ks_mark *m = mark_of(f, kernel);
        if (!m)
            m = new_mark(f, kernel, b, b->line);
        if (m->off)
            return ks_clause_fail(ct, at, "'off' stands twice over kernel %s", kernel->qualified);
        m->off = true;
        return KS_OK;
    }
    if (f->any)
        return ks_clause_fail(ct, at,
                              "'off' for the whole file must be its first mark; for one "
                              "kernel put it right above that kernel");
    f->marks->file_off = true;
    return KS_OK;
}

// One directive; ct->text ends where it ends, ct->at is behind its word.
static enum ks_status read_directive(struct finder *f, struct ks_clause_text *ct, const char *word,
                                     const char *at, const struct block *b, const bool *optimized)
{
    const struct ks_token *t = behind(f, b);
    const struct ks_kernel_decl *kernel = bound_kernel(f, t);
    if (strcmp(word, "off") == 0)
        return read_off(f, ct, at, b, kernel);
    if (!kernel)
        return fail_unbound(f, ct, at, b, t);
    struct ks_mark *m = mark_of(f, kernel);
    bool optimize = strcmp(word, "optimize") == 0;
    size_t index = (size_t)(kernel - f->kernels->at);
    if (optimize && optimized[index])
        return ks_clause_fail(ct, at, "kernel %s has an optimize directive already (line %d)",
                              kernel->qualified, m->line);
    if (optimize && m && m->n_workloads)
        return ks_clause_fail(ct, at,
                              "optimize comes before the workloads of its kernel; move it "
                              "above line %d",
                              m->line);
    if (!m) {
        int line = ct->line;
        for (const char *p = ct->text; p < at; p++)
            line += *p == '\n';
        m = new_mark(f, kernel, b, line);
    }
    if (!optimize)
        return ks_clauses_workload(ct, m);
    KS_TRY(ks_clauses_optimize(ct, m));
    ks_vec_each (const struct ks_mark, other, f->marks)
        if (other != m && *m->name && strcmp(other->name, m->name) == 0)
            return ks_clause_fail(ct, at,
                                  "the name '%s' is taken by the mark on line %d; choose "
                                  "another",
                                  m->name, other->line);
    return KS_OK;
}

// Position of the next directive word that stands alone (no clause has such a name), or the end.
static const char *next_directive(const char *p)
{
    while (*p) {
        if (*p == '(') {
            size_t n = ks_clause_balanced(p, p + strlen(p));
            if (n == 0)
                return p + strlen(p); // the clause parser will say so
            p += n;
        } else if (isalpha((unsigned char)*p) || *p == '_') {
            const char *begin = p;
            while (isalnum((unsigned char)*p) || *p == '_')
                p++;
            for (size_t i = 0; directives[i]; i++)
                if ((size_t)(p - begin) == strlen(directives[i]) &&
                    memcmp(begin, directives[i], (size_t)(p - begin)) == 0)
                    return begin;
        } else {
            p++;
        }
    }
    return p;
}

static const char *word_at(struct ks_arena *arena, const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return ks_arena_strndup(arena, p, n);
}

static bool is_directive(const char *word)
{
    for (size_t i = 0; directives[i]; i++)
        if (strcmp(word, directives[i]) == 0)
            return true;
    return false;
}

// A comment that only looks like a mark: prose that begins with "ks:". Prose right above a kernel,
// or within two letters of a directive, is taken for a mistake.
static bool is_prose(const struct finder *f, const struct block *b, const char *word)
{
    if (b->pragma || is_directive(word))
        return false;
    return !b->own_line || (!ks_nearest_word(word, directives) && !bound_kernel(f, behind(f, b)));
}

static enum ks_status read_marks(struct finder *f, const struct block *b, bool *optimized)
{
    struct ks_clause_text whole = {
        .arena = f->arena, .file = f->file, .line = b->line, .text = b->text, .err = f->err};
    const char *p = b->text + strspn(b->text, " \t\n");
    const char *word = word_at(f->arena, p);
    if (is_prose(f, b, word))
        return KS_OK;
    if (!is_directive(word)) {
        const char *nearest = *word ? ks_nearest_word(word, directives) : NULL;
        if (nearest)
            return ks_clause_fail(&whole, p, "unknown directive '%s'; did you mean '%s'?", word,
                                  nearest);
        return ks_clause_fail(&whole, p, "%s%.20s%s; a mark is optimize, workload or off",
                              *p ? "unknown directive '" : "a mark without directive", p,
                              *p ? "'" : "");
    }
    if (!b->own_line)
        return ks_clause_fail(&whole, p,
                              "a mark behind code; put it on a line of its own, right "
                              "above its kernel");
    for (int n = 0; *p; n++) {
        word = word_at(f->arena, p);
        const char *clauses = p + strlen(word), *end = next_directive(clauses);
        if (n > 0 && b->pragma)
            return ks_clause_fail(&whole, p,
                                  "'%s' begins a second directive in one pragma; give it "
                                  "a '#pragma ks' line of its own",
                                  word);
        // The directive alone, with the lines before it kept as newlines.
        char *text = ks_arena_strndup(f->arena, b->text, (size_t)(end - b->text));
        for (char *q = text; q < text + (clauses - b->text); q++)
            if (*q != '\n')
                *q = ' ';
        struct ks_clause_text ct = whole;
        ct.text = text;
        ct.at = text + (clauses - b->text);
        const struct ks_kernel_decl *kernel = bound_kernel(f, behind(f, b));
        KS_TRY(read_directive(f, &ct, word, text + (p - b->text), b, optimized));
        if (kernel && strcmp(word, "optimize") == 0)
            optimized[kernel - f->kernels->at] = true;
        f->any = true;
        p = end;
    }
    return KS_OK;
}

// `/* ks: optimize */` is no mark, and whoever writes it means one.
static enum ks_status refuse_block_comment(const struct finder *f, const struct ks_token *t)
{
    if (t->kind != KS_TOK_COMMENT || t->len < 8 || t->at[1] != '*')
        return KS_OK;
    struct ks_slice rest = {t->at + 2, t->len - 4};
    rest = ks_slice_trim(rest);
    if (rest.len < 3 || memcmp(rest.at, "ks:", 3) != 0)
        return KS_OK;
    rest = ks_slice_trim((struct ks_slice){rest.at + 3, rest.len - 3});
    if (!is_directive(word_at(f->arena, ks_arena_strndup(f->arena, rest.at, rest.len))))
        return KS_OK;
    KS_FAIL(f->err, KS_E_USER,
            "%s:%d: a mark in a block comment is not read; write '// ks: ...' or "
            "'#pragma ks ...'",
            f->file, t->line);
}

static void add_blank(struct finder *f, size_t begin, size_t end)
{
    struct {
        size_t (*at)[2];
        size_t len, cap;
    } v = {f->marks->blanks, f->marks->n_blanks, f->marks->cap_blanks};
    size_t(*pair)[2] = ks_vec_push(f->arena, &v);
    (*pair)[0] = begin;
    (*pair)[1] = end;
    f->marks->blanks = v.at;
    f->marks->n_blanks = v.len;
    f->marks->cap_blanks = v.cap;
}

// Keeps what f->err says, of a mark where one is at hand: nothing that was read of it counts.
static void keep_mistake(struct finder *f, struct ks_mark *mark)
{
    const char *text = ks_arena_strdup(f->arena, f->err->text);
    ks_strv_add(f->arena, &f->marks->mistakes, text);
    if (mark == NULL)
        return;
    mark->problem = text;
    mark->n_workloads = 0;
}

// A mistake ends its block; to a mark that is wrong a later block has nothing to add.
static void read_block_marks(struct finder *f, const struct block *b, bool *optimized)
{
    const struct ks_kernel_decl *kernel = bound_kernel(f, behind(f, b));
    struct ks_mark *mark = kernel != NULL ? mark_of(f, kernel) : NULL;
    if ((mark != NULL && mark->problem != NULL) || read_marks(f, b, optimized) == KS_OK)
        return;
    f->any = true;
    mark = kernel != NULL ? mark_of(f, kernel) : NULL;
    keep_mistake(f, kernel != NULL && mark == NULL ? new_mark(f, kernel, b, b->line) : mark);
}

static void read_all_marks(struct finder *f, struct ks_token *tokens, size_t n)
{
    // Also in dead arms: a pragma is blanked wherever it stands.
    struct ks_slice rest;
    for (size_t i = 0; i < n; i++)
        if (tokens[i].kind == KS_TOK_DIRECTIVE && mark_text(&tokens[i], &rest))
            add_blank(f, offset(f, &tokens[i]), offset(f, &tokens[i]) + tokens[i].len);
    n = ks_lex_drop_dead(tokens, n);
    bool *optimized = KS_NEW_ARRAY(f->arena, bool, f->kernels->len);
    for (size_t i = 0; i + 1 < n;) {
        struct block b;
        if (read_block(f, i, &b)) {
            read_block_marks(f, &b, optimized);
            i = b.next;
        } else if (refuse_block_comment(f, &tokens[i++]) != KS_OK) {
            keep_mistake(f, NULL);
        }
    }
    ks_vec_each (struct ks_mark, m, f->marks)
        if (m->problem == NULL && ks_mark_check(f->arena, m, f->err) != KS_OK)
            keep_mistake(f, m);
}

enum ks_status ks_marks_find(struct ks_arena *arena, const char *file, struct ks_slice text,
                             const struct ks_kernel_list *kernels, struct ks_mark_list *marks,
                             struct ks_err *err)
{
    *marks = (struct ks_mark_list){0};
    if (!ks_text_may_have_mark(text))
        return KS_OK;
    struct ks_arena scratch = {0}; // for the tokens
    struct ks_err found = {0};
    struct ks_token *tokens;
    size_t n = ks_lex_all(&scratch, text, true, &tokens);
    struct finder f = {.arena = arena,
                       .file = file,
                       .base = text.at,
                       .tokens = tokens,
                       .kernels = kernels,
                       .marks = marks,
                       .err = &found};
    read_all_marks(&f, tokens, n);
    ks_arena_free(&scratch);
    return marks->mistakes.len == 0 ? KS_OK
                                    : ks_err_set(err, KS_E_USER, "%s", marks->mistakes.at[0]);
}
