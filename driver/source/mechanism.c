#include "source/mechanism.h"

#include <string.h>

#include "fmt/hash.h"
#include "source/lex.h"

static bool is_one_of(const struct ks_token *token, const char *const *words)
{
    for (; *words != NULL; words++)
        if (ks_token_is(token, *words))
            return true;
    return false;
}

static bool is_builtin(const struct ks_token *token)
{
    static const char *const types[] = {"void", "bool",   "char",     "short",  "int",  "long", "float",
                                        "auto", "double", "unsigned", "signed", "half", NULL};
    return is_one_of(token, types);
}

// Whether the token in front makes a declaration of the name: a type or what ends one. An expression never has two
// names side by side.
static bool is_declared(const struct ks_token *tokens, size_t i)
{
    static const char *const no_types[] = {"return",   "else",         "case",       "goto",       "throw",
                                           "delete",   "new",          "sizeof",     "operator",   "const",
                                           "volatile", "static",       "constexpr",  "extern",     "inline",
                                           "using",    "__shared__",   "__device__", "__global__", "typename",
                                           "do",       "__constant__", "register",   NULL};
    static const char *const ends[] = {"*", "&", NULL};
    if (i == 0 || tokens[i].kind != KS_TOK_IDENT || is_builtin(&tokens[i]) || is_one_of(&tokens[i], no_types))
        return false;
    const struct ks_token *before = &tokens[i - 1];
    if (before->kind == KS_TOK_IDENT)
        return !is_one_of(before, no_types);
    return i > 1 && is_one_of(before, ends) && is_builtin(&tokens[i - 2]);
}

struct names {
    struct ks_arena *arena;
    struct ks_strv declared;
};

static size_t number_of(const struct names *names, const struct ks_token *token)
{
    for (size_t i = 0; i < names->declared.len; i++)
        if (ks_token_is(token, names->declared.at[i]))
            return i;
    return SIZE_MAX;
}

// The spelling, which is as it stands where no line splice is in it.
static void put_token(struct names *names, const struct ks_token *token, struct ks_buf *out)
{
    if (token->len > 0 && memchr(token->at, '\\', token->len) != NULL)
        ks_buf_puts(out, ks_token_text(names->arena, token));
    else
        ks_buf_add(out, token->at, token->len);
    ks_buf_putc(out, ' ');
}

static void put(struct names *names, const struct ks_token *tokens, size_t n, struct ks_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t number = tokens[i].kind == KS_TOK_IDENT ? number_of(names, &tokens[i]) : SIZE_MAX;
        // A member keeps its name: it may be another type's.
        bool member = i > 0 && (ks_token_is(&tokens[i - 1], ".") || ks_token_is(&tokens[i - 1], "->"));
        if (number != SIZE_MAX && !member)
            ks_buf_printf(out, "#%zu ", number);
        else
            put_token(names, &tokens[i], out);
    }
}

const char *ks_proposal_mechanism(struct ks_arena *arena, const struct ks_proposal *proposal)
{
    struct ks_arena scratch = {0};
    struct names names = {.arena = &scratch};
    struct ks_token *tokens;
    struct ks_buf text = KS_BUF(16 << 20), rest = KS_BUF(16 << 20);
    size_t n = ks_lex_all(&scratch, ks_slice_of(proposal->source), false, &tokens);
    for (size_t i = 0; i < n; i++)
        if (is_declared(tokens, i) && number_of(&names, &tokens[i]) == SIZE_MAX)
            ks_strv_add(&scratch, &names.declared, ks_token_text(&scratch, &tokens[i]));
    put(&names, tokens, n, &text);
    struct ks_proposal plan = *proposal; // the parameters of the original keep their names there
    plan.source = "";
    struct ks_yaml_writer writer = {.out = &rest};
    ks_proposal_write(&writer, &plan);
    n = ks_lex_all(&scratch, ks_slice_of(ks_buf_text(&rest)), false, &tokens);
    for (size_t i = 0; i < n; i++) {
        size_t number = i > 0 && tokens[i].kind == KS_TOK_IDENT ? number_of(&names, &tokens[i]) : SIZE_MAX;
        bool kernel = i > 1 && ks_token_is(&tokens[i - 2], "kernel");
        if (kernel && number != SIZE_MAX)
            ks_buf_printf(&text, "#%zu ", number);
        else
            put_token(&names, &tokens[i], &text);
    }
    struct ks_digest digest = ks_digest_of("mechanism", ks_buf_text(&text), text.len);
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&digest, hex);
    ks_buf_free(&text);
    ks_buf_free(&rest);
    ks_arena_free(&scratch);
    return ks_arena_strndup(arena, hex, 16);
}
