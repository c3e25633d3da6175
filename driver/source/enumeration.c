#include "source/enumeration.h"

#include <string.h>

#include "source/lex.h"

#define MOST_TOKENS 100 // of one enum's head

static struct ks_token next_token(struct ks_lexer *lexer)
{
    struct ks_token token = ks_lex_next(lexer);
    while (token.kind == KS_TOK_DIRECTIVE) // line markers
        token = ks_lex_next(lexer);
    return token;
}

// From behind an opening bracket to behind the one that closes it.
static struct ks_token pass_over(struct ks_lexer *lexer, const char *open, const char *close)
{
    struct ks_token token;
    for (int depth = 1; depth > 0;) {
        token = next_token(lexer);
        depth += ks_token_is(&token, open) - ks_token_is(&token, close);
        if (token.kind == KS_TOK_END)
            return token;
    }
    return next_token(lexer);
}

struct head {
    const char *name; // the last word of it; "" for an enum without
    const char *base; // the type behind ':'; "" where none is written
};

// What stands behind the word enum.
static bool read_head(struct ks_arena *arena, struct ks_slice rest, struct head *head)
{
    struct ks_lexer lexer;
    struct ks_buf base = KS_BUF(4096);
    bool behind = false;
    *head = (struct head){"", ""};
    ks_lex_begin(&lexer, rest, false);
    struct ks_token token = next_token(&lexer);
    for (int n = 0; n < MOST_TOKENS; n++) { // anything else than a head ends it: "enum mode m, ..."
        bool attribute = ks_token_is(&token, "__attribute__");
        if (token.kind != KS_TOK_IDENT && !ks_token_is(&token, ":") && !ks_token_is(&token, "::") &&
            !ks_token_is(&token, "["))
            break;
        if (behind)
            ks_buf_printf(&base, "%s ", ks_token_text(arena, &token));
        else if (token.kind == KS_TOK_IDENT && !attribute)
            head->name = ks_token_text(arena, &token);
        behind |= ks_token_is(&token, ":");
        bool bracket = ks_token_is(&token, "[");
        token = bracket ? pass_over(&lexer, "[", "]") : next_token(&lexer);
        if (attribute && ks_token_is(&token, "("))
            token = pass_over(&lexer, "(", ")");
    }
    bool defined = ks_token_is(&token, "{");
    if (defined && *head->name == '\0') {
        token = pass_over(&lexer, "{", "}"); // typedef enum { ... } name;
        if (token.kind == KS_TOK_IDENT)
            head->name = ks_token_text(arena, &token);
    }
    head->base = ks_arena_strdup(arena, ks_buf_text(&base));
    ks_buf_free(&base);
    return (defined || (behind && ks_token_is(&token, ";"))) && *head->name != '\0';
}

static struct ks_elem signed_of(struct ks_arena *arena, size_t size)
{
    const char *name = size == 1 ? "signed char" : size == 2 ? "short" : size == 8 ? "long long" : "int";
    return ks_type_parse(arena, ks_slice_of(name)).elem;
}

// "ns::mode" and "outer<int>::mode" end with the enum's own name.
static const char *last_word(const char *name)
{
    const char *at = name + strlen(name);
    while (at > name && ks_is_ident(at[-1]))
        at--;
    return at;
}

bool ks_enumeration_find(struct ks_arena *arena, struct ks_slice text, const char *name, size_t size,
                         struct ks_elem *elem)
{
    static const char word[] = "enum";
    const char *own = last_word(name), *end = text.at + text.len, *at = text.at;
    struct head head;
    for (; (at = memmem(at, (size_t)(end - at), word, sizeof word - 1)) != NULL; at += sizeof word - 1) {
        const char *rest = at + sizeof word - 1;
        if ((at > text.at && ks_is_ident(at[-1])) || rest == end || ks_is_ident(*rest) ||
            !read_head(arena, (struct ks_slice){rest, (size_t)(end - rest)}, &head) || strcmp(head.name, own) != 0)
            continue;
        *elem = *head.base == '\0' ? signed_of(arena, size) : ks_type_parse(arena, ks_slice_of(head.base)).elem;
        if (elem->scalar != KS_T_NONE && elem->size == size)
            return true;
    }
    *elem = (struct ks_elem){KS_T_NONE, 1, 0, 0};
    return false;
}
