#include "agent/excerpt.h"

#include <string.h>

#include "base/vec.h"
#include "source/lex.h"

#define CODE_MOST ((size_t)1 << 20)

// Appends the text with a blank for each comment; those behind a directive are part of its token.
static void put_code(struct ks_arena *arena, struct ks_slice text, struct ks_buf *out)
{
    struct ks_token *tokens;
    ks_lex_all(arena, text, true, &tokens);
    const char *from = text.at;
    for (const struct ks_token *t = tokens; t->kind != KS_TOK_END; t++) {
        bool directive = t->kind == KS_TOK_DIRECTIVE;
        if (t->kind != KS_TOK_COMMENT && !directive)
            continue;
        ks_buf_add(out, from, (size_t)(t->at - from));
        ks_buf_putc(out, directive ? '#' : ' ');
        if (directive)
            put_code(arena, (struct ks_slice){t->at + 1, t->len - 1}, out);
        from = t->at + t->len;
    }
    ks_buf_add(out, from, (size_t)(text.at + text.len - from));
}

const char *ks_excerpt_code(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_buf out = KS_BUF(CODE_MOST);
    put_code(arena, text, &out);
    struct ks_buf lines = KS_BUF(CODE_MOST); // without blanks at ends, and empty lines
    for (const char *at = ks_buf_text(&out); *at != '\0';) {
        size_t len = strcspn(at, "\n"), kept = len;
        while (kept > 0 && strchr(" \t\r", at[kept - 1]) != NULL)
            kept--;
        ks_buf_add(&lines, at, kept);
        if (kept > 0)
            ks_buf_putc(&lines, '\n');
        at += len + (at[len] == '\n');
    }
    const char *code = ks_arena_strdup(arena, ks_buf_text(&lines));
    ks_buf_free(&out);
    ks_buf_free(&lines);
    return code;
}

// A definition at file or namespace scope.
struct piece {
    size_t first, end;   // tokens
    const char *name;    // what it defines, or NULL
    bool wanted;
};

// The identifier in front of the first '(', '{', '=', '[' or ';' (a macro's first word).
static const char *defined_name(struct ks_arena *arena, const struct ks_token *tokens, size_t first,
                                size_t end)
{
    const struct ks_token *t = &tokens[first];
    struct ks_slice rest;
    if (t->kind == KS_TOK_DIRECTIVE) {
        struct ks_token *inner;
        ks_token_directive(t, &rest);
        struct ks_slice text = {t->at + 1, t->len - 1};
        size_t n = ks_lex_all(arena, text, false, &inner);
        return n >= 2 && ks_token_is(&inner[0], "define") ? ks_token_text(arena, &inner[1]) : NULL;
    }
    for (size_t i = first; i < end; i++) {
        bool stop = ks_token_is(&tokens[i], "(") || ks_token_is(&tokens[i], "{") ||
                    ks_token_is(&tokens[i], "=") || ks_token_is(&tokens[i], "[") ||
                    ks_token_is(&tokens[i], ";");
        if (stop && i > first && tokens[i - 1].kind == KS_TOK_IDENT &&
            !ks_token_is(&tokens[i - 1], "__align__") && !ks_token_is(&tokens[i - 1], "__launch_bounds__"))
            return ks_token_text(arena, &tokens[i - 1]);
    }
    return NULL;
}

// Functions without __device__ are the host's, and kernels are no help to a kernel.
static bool is_of_device(const struct ks_token *tokens, const struct piece *piece)
{
    bool device = false, body = false, type = false;
    for (size_t i = piece->first; i < piece->end; i++) {
        const struct ks_token *t = &tokens[i];
        if (ks_token_is(t, "__global__"))
            return false;
        device |= ks_token_is(t, "__device__") || ks_token_is(t, "constexpr");
        type |= !body && (ks_token_is(t, "struct") || ks_token_is(t, "class") || ks_token_is(t, "enum") ||
                          ks_token_is(t, "union") || ks_token_is(t, "typedef") || ks_token_is(t, "using") ||
                          ks_token_is(t, "const"));
        body |= ks_token_is(t, "(") || ks_token_is(t, "{");
    }
    return device || type || tokens[piece->first].kind == KS_TOK_DIRECTIVE;
}

// One past the definition that begins at `i`: behind its ';', or its outermost '}' where none follows.
static size_t piece_end(const struct ks_token *tokens, size_t n, size_t i)
{
    int depth = 0;
    if (tokens[i].kind == KS_TOK_DIRECTIVE)
        return i + 1;
    for (; i < n; i++) {
        if (ks_token_is(&tokens[i], "{") || ks_token_is(&tokens[i], "("))
            depth++;
        else if (ks_token_is(&tokens[i], ")"))
            depth--;
        else if (ks_token_is(&tokens[i], "}") && --depth == 0)
            return i + 1 < n && ks_token_is(&tokens[i + 1], ";") ? i + 2 : i + 1;
        else if (ks_token_is(&tokens[i], ";") && depth == 0)
            return i + 1;
    }
    return n;
}

static bool mentions(const struct ks_token *tokens, size_t first, size_t end, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = first; i < end; i++) {
        if (tokens[i].kind == KS_TOK_DIRECTIVE) { // a macro's text
            for (const char *at = tokens[i].at; (at = memmem(at, (size_t)(tokens[i].at + tokens[i].len - at),
                                                              name, len)) != NULL; at++)
                if (!ks_is_ident(at[-1]) && !ks_is_ident(at[len]))
                    return true;
        } else if (tokens[i].kind == KS_TOK_IDENT && ks_token_is(&tokens[i], name)) {
            return true;
        }
    }
    return false;
}

const char *ks_excerpt_needs(struct ks_arena *arena, struct ks_slice file, size_t begin, size_t end)
{
    struct ks_token *tokens;
    KS_VEC(struct piece) pieces = {0};
    size_t n = ks_lex_all(arena, file, false, &tokens), kernel = n, kernel_end = n;
    for (size_t i = 0; i < n;) {
        size_t offset = (size_t)(tokens[i].at - file.at);
        bool opens = ks_token_is(&tokens[i], "namespace") || ks_token_is(&tokens[i], "extern");
        if (opens) { // what is inside counts
            while (i < n && !ks_token_is(&tokens[i], "{") && !ks_token_is(&tokens[i], ";"))
                i++;
            i++;
            continue;
        }
        size_t stop = ks_token_is(&tokens[i], "}") ? i + 1 : piece_end(tokens, n, i);
        if (offset >= begin && offset < end) {
            kernel = kernel == n ? i : kernel;
            kernel_end = stop;
        } else {
            *ks_vec_push(arena, &pieces) =
                (struct piece){i, stop, defined_name(arena, tokens, i, stop), false};
        }
        i = stop;
    }
    for (bool more = true; more;) {
        more = false;
        ks_vec_each(struct piece, p, &pieces) {
            bool used = p->name != NULL && !p->wanted && is_of_device(tokens, p) &&
                        mentions(tokens, kernel, kernel_end, p->name);
            for (size_t q = 0; !used && p->name != NULL && !p->wanted && q < pieces.len; q++)
                used = pieces.at[q].wanted && is_of_device(tokens, p) &&
                       mentions(tokens, pieces.at[q].first, pieces.at[q].end, p->name);
            more |= used;
            p->wanted |= used;
        }
    }
    struct ks_buf out = KS_BUF(CODE_MOST);
    ks_vec_each(struct piece, p, &pieces) {
        const struct ks_token *last = &tokens[p->end - 1];
        if (p->wanted) {
            struct ks_slice text = {tokens[p->first].at,
                                    (size_t)(last->at + last->len - tokens[p->first].at)};
            ks_buf_printf(&out, "%s", ks_excerpt_code(arena, text));
        }
    }
    const char *needs = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return needs;
}
