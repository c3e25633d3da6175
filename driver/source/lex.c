#include "source/lex.h"

#include <string.h>

#include "base/vec.h"

#define BYTES_A_TOKEN 3 // of code, blanks counted in

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// '$' and bytes above 127 (UTF-8 letters) are accepted in identifiers by gcc, clang and nvcc.
static bool is_ident_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

bool ks_is_ident(char c)
{
    return is_ident_start(c) || is_digit(c);
}

// Bytes of a line splice at `pos`: backslash and newline, with a carriage return or blanks between
// (gcc accepts the blanks with a warning); 0 if there is none.
static size_t splice_at(const char *text, size_t len, size_t pos)
{
    if (pos >= len || text[pos] != '\\')
        return 0;
    size_t i = pos + 1;
    while (i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r'))
        i++;
    return i < len && text[i] == '\n' ? i + 1 - pos : 0;
}

static char peek(const struct ks_lexer *lx, size_t pos)
{
    return pos < lx->len ? lx->text[pos] : '\0';
}

// The byte at pos once splices are passed over; *next is the position after it.
static char spliced(const struct ks_lexer *lx, size_t pos, size_t *next)
{
    size_t n;
    while ((n = splice_at(lx->text, lx->len, pos)) != 0)
        pos += n;
    *next = pos < lx->len ? pos + 1 : pos;
    return peek(lx, pos);
}

void ks_lex_begin(struct ks_lexer *lexer, struct ks_slice text, bool comments)
{
    *lexer = (struct ks_lexer){
        .text = text.at, .len = text.len, .line = 1, .comments = comments, .at_line_start = true};
    if (text.len >= 3 && memcmp(text.at, "\xEF\xBB\xBF", 3) == 0)
        lexer->pos = 3;
}

// End of a line comment: before its newline, splices carry it on.
static size_t skip_line_comment(const struct ks_lexer *lx, size_t pos)
{
    while (pos < lx->len && lx->text[pos] != '\n') {
        size_t n = splice_at(lx->text, lx->len, pos);
        pos += n ? n : 1;
    }
    return pos;
}

static size_t skip_block_comment(const struct ks_lexer *lx, size_t pos)
{
    const char *end = memmem(lx->text + pos + 2, lx->len - pos - 2, "*/", 2);
    return end ? (size_t)(end - lx->text) + 2 : lx->len;
}

// `pos` is at the opening quote. The closing quote is included; a newline ends an open literal.
static size_t skip_quoted(const struct ks_lexer *lx, size_t pos)
{
    char quote = lx->text[pos++];
    while (pos < lx->len && lx->text[pos] != '\n') {
        size_t n = splice_at(lx->text, lx->len, pos);
        if (n) {
            pos += n;
        } else if (lx->text[pos] == '\\') {
            pos += 2;
        } else if (lx->text[pos++] == quote) {
            return pos;
        }
    }
    return pos < lx->len ? pos : lx->len;
}

// `pos` is at the quote of R"delim( ... )delim". The standard caps the delimiter at 16 bytes.
static size_t skip_raw(const struct ks_lexer *lx, size_t pos)
{
    size_t open = pos + 1;
    while (open < lx->len && open - pos <= 17 && lx->text[open] != '(' && lx->text[open] != '\n')
        open++;
    if (peek(lx, open) != '(')
        return skip_quoted(lx, pos);
    size_t n = open - pos - 1;
    char close[20] = ")";
    memcpy(close + 1, lx->text + pos + 1, n);
    close[n + 1] = '"';
    const char *end = memmem(lx->text + open, lx->len - open, close, n + 2);
    return end ? (size_t)(end - lx->text) + n + 2 : lx->len;
}

static size_t skip_ident(const struct ks_lexer *lx, size_t pos)
{
    for (;;) {
        while (pos < lx->len && ks_is_ident(lx->text[pos]))
            pos++;
        size_t next;
        if (pos == lx->len || lx->text[pos] != '\\' || !ks_is_ident(spliced(lx, pos, &next)))
            return pos;
        pos = next;
    }
}

// If `word` (before a quote) is an encoding prefix: 1 plain, 2 raw; else 0.
static int literal_prefix(const char *word, size_t n, char quote)
{
    static const char *const plain[] = {"L", "u", "U", "u8", NULL};
    if (quote == '"' && n > 0 && word[n - 1] == 'R') {
        if (n == 1)
            return 2;
        for (size_t i = 0; plain[i]; i++)
            if (strlen(plain[i]) == n - 1 && memcmp(plain[i], word, n - 1) == 0)
                return 2;
    }
    for (size_t i = 0; plain[i]; i++)
        if (strlen(plain[i]) == n && memcmp(plain[i], word, n) == 0)
            return 1;
    return 0;
}

// A preprocessing number: digits, letters, '.', digit separators, signs after an exponent letter.
static size_t skip_number(const struct ks_lexer *lx, size_t pos)
{
    char last = '0';
    for (;;) {
        size_t next, after;
        char c = spliced(lx, pos, &next);
        bool sign = (c == '+' || c == '-') && strchr("eEpP", last) != NULL;
        bool separator = c == '\'' && ks_is_ident(spliced(lx, next, &after));
        if (!ks_is_ident(c) && c != '.' && !sign && !separator)
            return pos;
        last = c;
        pos = next;
    }
}

// From '#' to before the newline that ends the directive.
static size_t skip_directive(const struct ks_lexer *lx, size_t pos)
{
    while (pos < lx->len && lx->text[pos] != '\n') {
        size_t n = splice_at(lx->text, lx->len, pos);
        char c = lx->text[pos];
        if (n) {
            pos += n;
        } else if (c == '/' && peek(lx, pos + 1) == '*') {
            pos = skip_block_comment(lx, pos);
        } else if (c == '/' && peek(lx, pos + 1) == '/') {
            pos = skip_line_comment(lx, pos);
        } else if (c == '"' || c == '\'') {
            pos = skip_quoted(lx, pos);
        } else if (is_ident_start(c)) {
            size_t end = skip_ident(lx, pos);
            char q = peek(lx, end);
            bool raw = q == '"' && literal_prefix(lx->text + pos, end - pos, q) == 2;
            pos = raw ? skip_raw(lx, end) : end;
        } else if (is_digit(c)) {
            pos = skip_number(lx, pos); // so that 1'000 opens no literal
        } else {
            pos++;
        }
    }
    if (pos > 0 && pos < lx->len && lx->text[pos - 1] == '\r')
        pos--;
    return pos < lx->len ? pos : lx->len;
}

static size_t skip_punct(const struct ks_lexer *lx, size_t pos)
{
    static const char *const longest_first[] = {
        "<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++",
        "--",  "<<",  ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=",
        "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "##", ".*", NULL};
    // Most stand alone: what follows goes on none of them.
    char behind = peek(lx, pos + 1);
    if (behind == '\0' || !strchr("<>.*=:-+&|#\\", behind))
        return pos + 1;
    for (size_t i = 0; longest_first[i]; i++) {
        size_t at = pos, next;
        const char *p = longest_first[i];
        while (*p && spliced(lx, at, &next) == *p) {
            p++;
            at = next;
        }
        if (!*p)
            return at;
    }
    return pos + 1;
}

// Passes white space, splices and (unless wanted) comments; true if a comment is to be delivered.
static bool skip_blank(struct ks_lexer *lx)
{
    while (lx->pos < lx->len) {
        char c = lx->text[lx->pos];
        size_t n, begin = lx->pos;
        if (c == '\n') {
            lx->line++;
            lx->at_line_start = true;
            lx->pos++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lx->pos++;
        } else if ((n = splice_at(lx->text, lx->len, lx->pos)) != 0) {
            lx->pos += n;
            lx->line++;
        } else if (c == '/' && (peek(lx, begin + 1) == '/' || peek(lx, begin + 1) == '*')) {
            if (lx->comments)
                return true;
            lx->pos = peek(lx, begin + 1) == '/' ? skip_line_comment(lx, begin)
                                                 : skip_block_comment(lx, begin);
            for (size_t i = begin; i < lx->pos; i++)
                lx->line += lx->text[i] == '\n';
        } else {
            return false;
        }
    }
    return false;
}

struct ks_token ks_lex_next(struct ks_lexer *lx)
{
    bool comment = skip_blank(lx);
    size_t begin = lx->pos, end;
    struct ks_token token = {
        .at = lx->text + begin, .line = lx->line, .line_start = lx->at_line_start};
    if (begin >= lx->len)
        return token;
    char c = lx->text[begin];
    size_t next;
    if (comment) {
        token.kind = KS_TOK_COMMENT;
        end = peek(lx, begin + 1) == '/' ? skip_line_comment(lx, begin)
                                         : skip_block_comment(lx, begin);
    } else if (c == '#' && lx->at_line_start) {
        token.kind = KS_TOK_DIRECTIVE;
        end = skip_directive(lx, begin);
    } else if (is_digit(c) || (c == '.' && is_digit(spliced(lx, begin + 1, &next)))) {
        token.kind = KS_TOK_NUMBER;
        end = skip_number(lx, begin);
    } else if (c == '"' || c == '\'') {
        token.kind = KS_TOK_STRING;
        end = skip_quoted(lx, begin);
    } else if (is_ident_start(c)) {
        token.kind = KS_TOK_IDENT;
        end = skip_ident(lx, begin);
        char quote = peek(lx, end);
        int prefix = quote == '"' || quote == '\''
                         ? literal_prefix(lx->text + begin, end - begin, quote)
                         : 0;
        if (prefix) {
            token.kind = KS_TOK_STRING;
            end = prefix == 2 ? skip_raw(lx, end) : skip_quoted(lx, end);
        }
    } else {
        token.kind = KS_TOK_PUNCT;
        end = skip_punct(lx, begin);
    }
    token.len = end - begin;
    for (size_t i = begin; i < end; i++)
        lx->line += lx->text[i] == '\n';
    lx->pos = end;
    // A comment before '#' leaves the directive first on its line.
    if (!comment)
        lx->at_line_start = false;
    return token;
}

size_t ks_lex_all(struct ks_arena *arena, struct ks_slice text, bool comments,
                  struct ks_token **out)
{
    KS_VEC(struct ks_token) list = {0};
    list.cap = text.len / BYTES_A_TOKEN + 8; // about what it takes, without growing and copying up to there
    list.at = KS_NEW_ARRAY(arena, struct ks_token, list.cap);
    struct ks_lexer lexer;
    ks_lex_begin(&lexer, text, comments);
    struct ks_token token;
    do {
        token = ks_lex_next(&lexer);
        *ks_vec_push(arena, &list) = token;
    } while (token.kind != KS_TOK_END);
    *out = list.at;
    return list.len;
}

bool ks_token_spells(const struct ks_token *token, const char *text)
{
    size_t i = 0, n;
    while (i < token->len) {
        if ((n = splice_at(token->at, token->len, i)) != 0)
            i += n;
        else if (*text == '\0' || token->at[i++] != *text++)
            return false;
    }
    return *text == '\0' && token->kind != KS_TOK_END;
}

char *ks_token_text(struct ks_arena *arena, const struct ks_token *token)
{
    char *out = ks_arena_strndup(arena, token->at, token->len);
    size_t from = 0, to = 0, n;
    while (from < token->len) {
        if ((n = splice_at(token->at, token->len, from)) != 0)
            from += n;
        else
            out[to++] = token->at[from++];
    }
    out[to] = '\0';
    return out;
}

enum ks_directive ks_token_directive(const struct ks_token *token, struct ks_slice *rest)
{
    struct ks_lexer lx;
    struct ks_slice body = {token->at + 1, token->len - 1};
    ks_lex_begin(&lx, body, false);
    lx.at_line_start = false;
    struct ks_token word = ks_lex_next(&lx);
    if (rest)
        *rest = ks_slice_trim((struct ks_slice){body.at + lx.pos, body.len - lx.pos});
    if (ks_token_is(&word, "if") || ks_token_is(&word, "ifdef") || ks_token_is(&word, "ifndef"))
        return KS_DIR_IF;
    if (ks_token_is(&word, "else") || ks_token_is(&word, "elif") || ks_token_is(&word, "elifdef") ||
        ks_token_is(&word, "elifndef"))
        return KS_DIR_ELSE;
    if (ks_token_is(&word, "endif"))
        return KS_DIR_ENDIF;
    if (ks_token_is(&word, "include") || ks_token_is(&word, "include_next"))
        return KS_DIR_INCLUDE;
    if (ks_token_is(&word, "pragma"))
        return KS_DIR_PRAGMA;
    return KS_DIR_OTHER;
}

// The constant of a bare `#if 0` or `#if 1`; -1 for anything else.
static int constant_condition(const struct ks_token *token)
{
    struct ks_lexer lx;
    ks_lex_begin(&lx, (struct ks_slice){token->at + 1, token->len - 1}, false);
    lx.at_line_start = false;
    struct ks_token word = ks_lex_next(&lx), value = ks_lex_next(&lx), end = ks_lex_next(&lx);
    if (!ks_token_is(&word, "if") || end.kind != KS_TOK_END)
        return -1;
    return ks_token_is(&value, "0") ? 0 : ks_token_is(&value, "1") ? 1 : -1;
}

size_t ks_lex_drop_dead(struct ks_token *tokens, size_t n)
{
    // Depth of open conditionals, the depth whose dead arm hides us (0: none), and, by depth, what
    // a constant `#if` said. Deeper than 64 no constant is believed, which only keeps more tokens.
    int depth = 0, dead = 0;
    int constant[65];
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool keep = dead == 0;
        enum ks_directive what = tokens[i].kind == KS_TOK_DIRECTIVE
                                     ? ks_token_directive(&tokens[i], NULL)
                                     : KS_DIR_OTHER;
        if (what == KS_DIR_IF) {
            depth++;
            if (depth <= 64)
                constant[depth] = constant_condition(&tokens[i]);
            if (dead == 0 && depth <= 64 && constant[depth] == 0)
                dead = depth;
        } else if (what == KS_DIR_ELSE && depth > 0 && depth <= 64) {
            if (dead == depth) {
                dead = constant[depth] == 1 ? depth : 0;
                keep = true;
            } else if (dead == 0 && constant[depth] == 1) {
                dead = depth;
            }
        } else if (what == KS_DIR_ENDIF && depth > 0) {
            if (dead == depth) {
                dead = 0;
                keep = true;
            }
            depth--;
        }
        if (keep || tokens[i].kind == KS_TOK_END)
            tokens[kept++] = tokens[i];
    }
    return kept;
}
