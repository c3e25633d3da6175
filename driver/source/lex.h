// Lexer for CUDA C++: tokens with byte offsets into the unchanged text. Line splices, raw strings,
// digit separators, byte order mark and CRLF are understood; nothing is macro-expanded.
#ifndef KS_LEX_H
#define KS_LEX_H

#include "base/str.h"

enum ks_token_kind {
    KS_TOK_END,
    KS_TOK_IDENT,
    KS_TOK_NUMBER,
    KS_TOK_STRING,  // string or character literal, prefix included
    KS_TOK_PUNCT,   // longest match: "<<<", "::", "->", "..." and so on
    KS_TOK_DIRECTIVE, // whole preprocessing directive from '#' to before its newline, splices included
    KS_TOK_COMMENT, // only when asked for
};

struct ks_token {
    enum ks_token_kind kind;
    const char *at;   // into the text
    size_t len;
    int line;         // 1-based physical line of the first byte
    bool line_start;  // first token on its line
};

struct ks_lexer {
    const char *text;
    size_t len, pos;
    int line;
    bool comments; // deliver comments too
    bool at_line_start;
};

void ks_lex_begin(struct ks_lexer *lexer, struct ks_slice text, bool comments);
// The next token; KS_TOK_END for ever after the last. A plain literal left open ends with its line
// (prose under `#if 0` may hold a lone apostrophe); raw strings and comments left open end the text.
struct ks_token ks_lex_next(struct ks_lexer *lexer);

// All tokens of a text; `out` lives in the arena and ends with KS_TOK_END.
size_t ks_lex_all(struct ks_arena *arena, struct ks_slice text, bool comments,
                  struct ks_token **out);
// Compares the token's spelling, line splices left out.
bool ks_token_spells(const struct ks_token *token, const char *text);
// The same; most comparisons end at the first byte, which needs no call.
static inline bool ks_token_is(const struct ks_token *token, const char *text)
{
    return (token->len == 0 || token->at[0] == text[0] || token->at[0] == '\\') && ks_token_spells(token, text);
}
// The spelling without line splices.
char *ks_token_text(struct ks_arena *arena, const struct ks_token *token);

// What a KS_TOK_DIRECTIVE says, for those who follow conditionals.
enum ks_directive {
    KS_DIR_IF,   // #if, #ifdef, #ifndef
    KS_DIR_ELSE, // #else, #elif, #elifdef, #elifndef
    KS_DIR_ENDIF,
    KS_DIR_INCLUDE, // and #include_next
    KS_DIR_PRAGMA,
    KS_DIR_OTHER,
};
// `rest` (may be NULL) receives what follows the directive's name, trimmed, splices kept.
enum ks_directive ks_token_directive(const struct ks_token *token, struct ks_slice *rest);

// Takes the tokens out that `#if 0` and the other arm of `#if 1` hide, in place, and returns the
// new count. The directives themselves stay. Other conditions keep both arms.
size_t ks_lex_drop_dead(struct ks_token *tokens, size_t n);

// Whether a byte goes on an identifier: letters, digits, '_', '$' and all above 127.
bool ks_is_ident(char c);

#endif
