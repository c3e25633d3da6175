#include "source/stream.h"

#include "base/vec.h"

// Real headers nest fewer than 20 conditionals; deeper ones are taken as plain text.
#define MAX_NESTING 128

struct reader {
    struct ks_arena *arena;
    const struct ks_token *tokens; // ends with KS_TOK_END
    bool *keep;
    int *arm;
    bool *uneven;
    int next_arm;
};

static int brace_step(const struct ks_token *token)
{
    if (token->kind != KS_TOK_PUNCT || token->len != 1)
        return 0;
    return *token->at == '{' ? 1 : *token->at == '}' ? -1 : 0;
}

static size_t read_group(struct reader *r, size_t i, int outer, int depth, int *net);

// Reads from i to the #else, #elif or #endif that ends this arm (or the end), adding up braces.
static size_t read_arm(struct reader *r, size_t i, int arm, int depth, int *net)
{
    *net = 0;
    while (r->tokens[i].kind != KS_TOK_END) {
        enum ks_directive what = KS_DIR_OTHER;
        if (r->tokens[i].kind == KS_TOK_DIRECTIVE)
            what = ks_token_directive(&r->tokens[i], NULL);
        if (what == KS_DIR_IF && depth < MAX_NESTING) {
            int inner;
            i = read_group(r, i, arm, depth + 1, &inner);
            *net += inner;
            continue;
        }
        if ((what == KS_DIR_ELSE || what == KS_DIR_ENDIF) && depth > 0)
            break;
        r->arm[i] = arm;
        *net += brace_step(&r->tokens[i]);
        i++;
    }
    return i;
}

// Reads a whole conditional group, `i` at its #if; returns the position after its #endif.
static size_t read_group(struct reader *r, size_t i, int outer, int depth, int *net)
{
    size_t first_if = i, second_arm = 0;
    int first_net = 0;
    bool balanced = true;
    for (int n = 0;; n++) {
        r->arm[i] = outer;
        int arm_net;
        size_t begin = i + 1;
        i = read_arm(r, begin, ++r->next_arm, depth, &arm_net);
        if (n == 0)
            first_net = arm_net;
        else if (arm_net != first_net)
            r->uneven[first_if] = true;
        if (arm_net != 0)
            balanced = false;
        if (n == 1)
            second_arm = begin;
        if (r->tokens[i].kind == KS_TOK_END ||
            ks_token_directive(&r->tokens[i], NULL) == KS_DIR_ENDIF)
            break;
    }
    if (!balanced && second_arm)
        for (size_t k = second_arm; k < i; k++)
            r->keep[k] = false;
    *net = first_net;
    if (r->tokens[i].kind == KS_TOK_END)
        return i;
    r->arm[i] = outer;
    return i + 1;
}

// One pass with a stack, so that text full of open brackets takes no longer than other text.
static const size_t *match_brackets(struct ks_arena *arena, const struct ks_token *tokens, size_t n)
{
    size_t *match = KS_NEW_ARRAY(arena, size_t, n + 1);
    size_t *stack = KS_NEW_ARRAY(arena, size_t, n + 1);
    size_t depth = 0;
    for (size_t i = 0; i <= n; i++)
        match[i] = n;
    for (size_t i = 0; i < n; i++) {
        if (tokens[i].kind != KS_TOK_PUNCT || tokens[i].len != 1)
            continue;
        char c = *tokens[i].at;
        if (c == '(' || c == '[' || c == '{') {
            stack[depth++] = i;
            continue;
        }
        char open = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '\0';
        if (!open)
            continue;
        size_t d = depth;
        while (d > 0 && *tokens[stack[d - 1]].at != open &&
               (open == '{' || *tokens[stack[d - 1]].at != '{'))
            d--;
        if (d > 0 && *tokens[stack[d - 1]].at == open) {
            match[stack[d - 1]] = i;
            depth = d - 1;
        } else if (open == '{') {
            depth = 0; // a stray '}' ends whatever was open
        }
    }
    return match;
}

struct ks_stream ks_stream_read(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_token *tokens;
    size_t n = ks_lex_all(arena, text, false, &tokens);
    n = ks_lex_drop_dead(tokens, n);
    struct reader r = {.arena = arena,
                       .tokens = tokens,
                       .keep = KS_NEW_ARRAY(arena, bool, n),
                       .arm = KS_NEW_ARRAY(arena, int, n),
                       .uneven = KS_NEW_ARRAY(arena, bool, n)};
    memset(r.keep, true, n);
    int net;
    read_arm(&r, 0, 0, 0, &net);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!r.keep[i])
            continue;
        tokens[kept] = tokens[i];
        r.arm[kept] = r.arm[i];
        r.uneven[kept++] = r.uneven[i];
    }
    const size_t *match = match_brackets(arena, tokens, kept - 1);
    return (struct ks_stream){tokens, r.arm, r.uneven, match, kept - 1, text.at};
}

size_t ks_stream_match(const struct ks_stream *stream, size_t i)
{
    return stream->match[i];
}

size_t ks_stream_angle(const struct ks_stream *stream, size_t i, size_t end)
{
    int depth = 0;
    for (; i < end; i++) {
        const struct ks_token *t = &stream->at[i];
        if (t->kind != KS_TOK_PUNCT)
            continue;
        if (ks_token_is(t, "(") || ks_token_is(t, "[") || ks_token_is(t, "{")) {
            i = ks_stream_match(stream, i);
            if (i >= end)
                break;
        } else if (ks_token_is(t, "<")) {
            depth++;
        } else if (ks_token_is(t, ">") || ks_token_is(t, ">>") || ks_token_is(t, ">>>")) {
            depth -= (int)t->len;
            if (depth <= 0)
                return i;
        } else if (ks_token_is(t, ";") || ks_token_is(t, ")") || ks_token_is(t, "]") ||
                   ks_token_is(t, "}")) {
            break;
        }
    }
    return end;
}

size_t ks_stream_offset(const struct ks_stream *stream, size_t i)
{
    return (size_t)(stream->at[i].at - stream->text);
}

bool ks_stream_is(const struct ks_stream *stream, size_t i, const char *text)
{
    return i < stream->len && ks_token_is(&stream->at[i], text);
}
