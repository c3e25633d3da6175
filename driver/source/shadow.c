// The text of a shadow translation unit.
#include "source/shadow.h"

#include <string.h>

#include "fmt/hash.h"
#include "source/dispatch.h"
#include "source/lex.h"
#include "source/shadow_macros.h"

enum { MAX_SHADOW = 512 << 20 };

// One of an unnamed namespace must not be mistaken for one outside, nor the code of a kernel here for
// that of its like elsewhere, which may see other helpers.
const char *ks_shadow_namespace(struct ks_arena *arena, const char *id,
                                const struct ks_kernel_decl *decl)
{
    struct ks_hash hash;
    struct ks_digest digest;
    char hex[KS_HASH_TEXT];
    if (decl->n_scopes == 0)
        return ks_arena_printf(arena, "ks_%s", id);
    ks_hash_begin(&hash, "scopes");
    for (size_t i = 0; i < decl->n_scopes; i++)
        ks_hash_text(&hash, "scope", decl->scopes[i]);
    ks_hash_end(&hash, &digest);
    ks_digest_hex(&digest, hex);
    return ks_arena_printf(arena, "ks_%s_%.8s", id, hex);
}

// One proposal's code, emitted once for all instances and architectures that use it in one scope.
struct piece {
    const struct ks_substitution *sub; // the first of them
    size_t at;                         // offset in the text; SIZE_MAX: at its end
    KS_VEC(const struct ks_substitution *) archs; // one for each
};

struct writer {
    struct ks_arena *arena;
    const struct ks_shadow_request *request;
    struct ks_slice text;   // without byte order mark
    size_t skipped;         // bytes of the mark
    const char *token;      // tu_token as a C string literal's inside
    KS_VEC(struct piece) pieces;
    struct ks_buf *out;
    struct ks_err *err;
};

static bool same_scope(const struct ks_kernel_decl *a, const struct ks_kernel_decl *b)
{
    if (a->n_scopes != b->n_scopes)
        return false;
    for (size_t i = 0; i < a->n_scopes; i++)
        if (strcmp(a->scopes[i], b->scopes[i]) != 0)
            return false;
    return true;
}

// A #line of the user's own would have to be continued after inserted text; code then goes to the
// end, where nothing follows.
static bool has_line_directives(struct ks_slice text)
{
    struct ks_lexer lexer;
    ks_lex_begin(&lexer, text, false);
    for (struct ks_token t = ks_lex_next(&lexer); t.kind != KS_TOK_END; t = ks_lex_next(&lexer)) {
        if (t.kind != KS_TOK_DIRECTIVE)
            continue;
        size_t i = 1;
        while (i < t.len && (t.at[i] == ' ' || t.at[i] == '\t'))
            i++;
        if (i < t.len && ((t.at[i] >= '0' && t.at[i] <= '9') ||
                          (t.len - i >= 4 && memcmp(t.at + i, "line", 4) == 0)))
            return true;
    }
    return false;
}

static struct piece *piece_of(struct writer *w, const struct ks_substitution *sub)
{
    ks_vec_each(struct piece, piece, &w->pieces)
        if (strcmp(piece->sub->id, sub->id) == 0 && same_scope(piece->sub->decl, sub->decl))
            return piece;
    struct piece *piece = ks_vec_push(w->arena, &w->pieces);
    piece->sub = sub;
    return piece;
}

// The last place among the kernels that share a piece: everything each of them sees is known there.
static enum ks_status collect_pieces(struct writer *w)
{
    bool to_end = w->request->n_subs > 0 && has_line_directives(w->text);
    for (size_t i = 0; i < w->request->n_subs; i++) {
        const struct ks_substitution *sub = &w->request->subs[i];
        if (sub->proposal->kernels.len == 0)
            KS_FAIL(w->err, KS_E_INTERNAL, "%s: the proposal %s was not checked",
                    sub->signature->instance, sub->id);
        size_t at = SIZE_MAX;
        if (sub->in_tu && !to_end) {
            if (sub->decl->end < w->skipped || sub->decl->end - w->skipped > w->text.len)
                KS_FAIL(w->err, KS_E_INTERNAL, "%s: its extent is outside the file", sub->file);
            at = sub->decl->end - w->skipped;
        }
        struct piece *piece = piece_of(w, sub);
        if (at > piece->at)
            piece->at = at;
        bool known = false;
        for (size_t k = 0; k < piece->archs.len; k++)
            known |= piece->archs.at[k]->arch == sub->arch;
        if (!known)
            *ks_vec_push(w->arena, &piece->archs) = sub;
    }
    return KS_OK;
}

// Text between the parentheses of a kernel's parameter list.
static struct ks_slice parameter_text(const struct ks_proposal *proposal,
                                      const struct ks_kernel_decl *kernel)
{
    struct ks_slice head = {proposal->source + kernel->begin, kernel->body - kernel->begin};
    struct ks_lexer lexer;
    ks_lex_begin(&lexer, head, false);
    struct ks_slice inner = {head.at, 0};
    bool named = false;
    int depth = 0;
    for (struct ks_token t = ks_lex_next(&lexer); t.kind != KS_TOK_END; t = ks_lex_next(&lexer)) {
        if (ks_token_is(&t, "(") && depth++ == 0 && named)
            inner.at = t.at + 1;
        if (ks_token_is(&t, ")") && --depth == 0 && named)
            inner.len = (size_t)(t.at - inner.at);
        if (depth == 0)
            named = ks_token_is(&t, kernel->name);
    }
    return inner;
}

static void write_signatures(struct writer *w, const struct ks_proposal *proposal,
                             const char *end)
{
    for (size_t i = 0; i < proposal->kernels.len; i++) {
        const struct ks_kernel_decl *kernel = &proposal->kernels.at[i];
        ks_buf_printf(w->out, "static __global__ void %s(", kernel->name);
        ks_buf_slice(w->out, parameter_text(proposal, kernel));
        ks_buf_printf(w->out, ")%s\n", end);
    }
}

static void write_scopes(struct writer *w, const struct ks_kernel_decl *decl, bool open)
{
    for (size_t i = 0; i < decl->n_scopes; i++) {
        if (open)
            ks_buf_printf(w->out, "namespace %s {\n", decl->scopes[i]);
        else
            ks_buf_puts(w->out, "}\n");
    }
}

// The marker's 3 makes the text a system header's: no warning option of the user reaches it, and
// nothing has to be declared unused. nvcc leaves names in angle brackets out of dependency files.
static void write_marker(struct writer *w, const struct ks_substitution *sub)
{
    const char *name_space = ks_shadow_namespace(w->arena, sub->id, sub->decl);
    ks_buf_printf(w->out, "# 1 \"<ks/%s-%s.cu>\" 3\n", sub->decl->name, name_space + strlen("ks_"));
}

static void write_piece(struct writer *w, const struct piece *piece)
{
    const struct ks_substitution *sub = piece->sub;
    const struct ks_proposal *proposal = sub->proposal;
    struct ks_strv words =
        ks_macro_words(w->arena, ks_slice_of(proposal->source), KS_MACROS_DEVICE);
    ks_buf_putc(w->out, '\n');
    write_marker(w, sub);
    if (piece->at == SIZE_MAX)
        write_scopes(w, sub->decl, true);
    // Unnamed and static: two units, or two compiles of one, may hold the same variant. (cudafe++
    // gives an unnamed namespace a hashed name, and its kernels external stubs.) Nothing here needs
    // that name at once, as an object initialised with a kernel's address would: cudafe++ makes it
    // of the unit's first external symbol, and before there is one of its own process id.
    ks_buf_printf(w->out, "extern \"C++\" { namespace %s { namespace {\n",
                  ks_shadow_namespace(w->arena, sub->id, sub->decl));
    ks_macros_hide(w->out, &words);
    write_signatures(w, proposal, ";");
    // Host and other architectures see signatures only: no host code of a proposal exists, and a
    // body that ran by mistake stops the program instead of computing nothing.
    ks_buf_puts(w->out, "#if defined(__CUDA_ARCH__) && (");
    for (size_t i = 0; i < piece->archs.len; i++) {
        const struct ks_substitution *on = piece->archs.at[i];
        ks_buf_printf(w->out, "%s__CUDA_ARCH__ == %d", i > 0 ? " || " : "", on->arch * 10);
        if (on->suffix == 'a')
            ks_buf_printf(w->out, " && defined(__CUDA_ARCH_FEAT_SM%d_ALL)", on->arch);
        else if (on->suffix != '\0')
            ks_buf_puts(w->out, " && defined(__CUDA_ARCH_FAMILY_SPECIFIC__)");
    }
    ks_buf_puts(w->out, ")\n");
    write_marker(w, sub);
    ks_buf_puts(w->out, proposal->source);
    ks_buf_puts(w->out, "\n#else\n");
    write_signatures(w, proposal, " { __trap(); }");
    ks_buf_puts(w->out, "#endif\n");
    ks_macros_restore(w->out, &words);
    ks_buf_puts(w->out, "}}}\n");
    if (piece->at == SIZE_MAX)
        write_scopes(w, sub->decl, false);
}

// Includes of proposals stand before everything: at a kernel's place a namespace may be open.
static enum ks_status write_includes(struct writer *w)
{
    struct ks_strv seen = {0};
    for (size_t i = 0; i < w->request->n_subs; i++) {
        const struct ks_proposal *p = w->request->subs[i].proposal;
        for (size_t k = 0; k < p->n_includes; k++) {
            bool known = false;
            for (size_t j = 0; j < seen.len; j++)
                known |= strcmp(seen.at[j], p->includes[k]) == 0;
            if (known)
                continue;
            ks_strv_add(w->arena, &seen, p->includes[k]);
            ks_buf_printf(w->out, "#include <%s>\n", p->includes[k]);
        }
    }
    // __CUDA_NO_HALF_OPERATORS__ and its like only work before the header's first inclusion.
    if (seen.len > 0 && memmem(w->text.at, w->text.len, "__CUDA_NO_", 10) != NULL)
        KS_FAIL(w->err, KS_E_UNSUPPORTED,
                "%s configures CUDA's headers with __CUDA_NO_..., which an include of a variant "
                "would come before", w->request->tu_token);
    return KS_OK;
}

static const char *literal_text(struct ks_arena *arena, const char *text)
{
    char *out = ks_arena_alloc(arena, 2 * strlen(text) + 1), *o = out;
    for (; *text != '\0'; text++) {
        if (*text == '\\' || *text == '"')
            *o++ = '\\';
        *o++ = *text;
    }
    return out;
}

// The user's bytes with marks blanked: lines and columns stay.
static char *blanked(struct ks_arena *arena, const struct writer *w)
{
    char *copy = ks_arena_strndup(arena, w->text.at, w->text.len);
    const struct ks_mark_list *marks = w->request->marks;
    for (size_t i = 0; marks != NULL && i < marks->n_blanks; i++) {
        for (size_t at = marks->blanks[i][0]; at < marks->blanks[i][1]; at++)
            if (at >= w->skipped && at - w->skipped < w->text.len &&
                copy[at - w->skipped] != '\n' && copy[at - w->skipped] != '\r')
                copy[at - w->skipped] = ' ';
    }
    return copy;
}

// The piece that comes next at or after an offset, or NULL; `done` counts those at that offset.
static const struct piece *next_piece(const struct writer *w, const bool *written)
{
    const struct piece *next = NULL;
    for (size_t i = 0; i < w->pieces.len; i++)
        if (!written[i] && (next == NULL || w->pieces.at[i].at < next->at))
            next = &w->pieces.at[i];
    return next;
}

// The compiler warns of a backslash that splices a last line with nothing; here it would splice it
// with a line of ours.
static bool ends_spliced(struct ks_slice text)
{
    size_t n = text.len;
    if (n > 0 && text.at[n - 1] == '\n')
        n--;
    while (n > 0 && strchr(" \t\r", text.at[n - 1]) != NULL)
        n--;
    return n > 0 && text.at[n - 1] == '\\';
}

static void write_body(struct writer *w, const char *copy)
{
    bool *written = KS_NEW_ARRAY(w->arena, bool, w->pieces.len);
    size_t done = 0;
    int line = 1;
    const struct piece *piece;
    while ((piece = next_piece(w, written)) != NULL) {
        size_t end = piece->at == SIZE_MAX ? w->text.len : piece->at;
        for (size_t i = done; i < end; i++)
            line += copy[i] == '\n';
        ks_buf_add(w->out, copy + done, end - done);
        if (piece->at == SIZE_MAX) // a last line without newline, or with a backslash
            ks_buf_puts(w->out, "\n\n");
        written[piece - w->pieces.at] = true;
        write_piece(w, piece);
        // Not #line: that would keep the system header's state.
        ks_buf_printf(w->out, "# %d \"%s\"\n", line, w->token);
        done = end;
    }
    ks_buf_add(w->out, copy + done, w->text.len - done);
    ks_buf_puts(w->out, "\n\n");
}

enum ks_status ks_shadow_text(struct ks_arena *arena, const struct ks_shadow_request *request,
                              struct ks_buf *out, struct ks_err *err)
{
    struct writer w = {.arena = arena, .request = request, .text = request->text, .out = out,
                       .err = err, .token = literal_text(arena, request->tu_token)};
    // nvcc lists a name with a backslash as it lists no other: with a slash, and twice.
    if (strpbrk(request->tu_token, "\n\r\\") != NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED,
                "a file name with a line break or a backslash cannot be shadowed");
    if (memchr(request->text.at, '\0', request->text.len) != NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s holds a NUL byte", request->tu_token);
    if (request->text.len >= 3 && memcmp(request->text.at, "\xef\xbb\xbf", 3) == 0) {
        w.skipped = 3; // legal only at the very beginning
        w.text.at += 3;
        w.text.len -= 3;
    }
    // Where nothing of ours could follow without a word, nothing does.
    if (ends_spliced(w.text))
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s ends with a backslash", request->tu_token);
    KS_TRY(collect_pieces(&w));
    // A system header's text, as far as the compiler is concerned: nothing here is worth a warning.
    ks_buf_puts(out, "# 1 \"<ks/begin>\" 3\n");
    KS_TRY(write_includes(&w));
    // No #line reaches this one.
    ks_buf_printf(out, "#undef __BASE_FILE__\n#define __BASE_FILE__ \"%s\"\n# 1 \"%s\"\n", w.token,
                  w.token);
    struct ks_arena scratch = {0};
    write_body(&w, blanked(&scratch, &w));
    ks_arena_free(&scratch);
    if (request->dispatch && request->n_subs > 0)
        KS_TRY(ks_dispatch_text(arena, request->subs, request->n_subs, out, err));
    if (out->len > MAX_SHADOW)
        KS_FAIL(err, KS_E_LIMIT, "%s: the shadow exceeds %d bytes", request->tu_token, MAX_SHADOW);
    return ks_buf_check(out, "shadow translation unit", err);
}
