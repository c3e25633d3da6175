// Tokens of PTX: words (names, opcodes with their modifiers, numbers, directives), strings and
// single punctuation characters. Comments and white space vanish. Borrowed slices; nothing allocates.
#ifndef KS_PTX_SCAN_H
#define KS_PTX_SCAN_H

#include <string.h>

#include "base/str.h"

enum ks_ptx_token_kind { KS_PTX_END, KS_PTX_WORD, KS_PTX_STRING, KS_PTX_PUNCT, KS_PTX_BAD };

struct ks_ptx_token {
    enum ks_ptx_token_kind kind;
    const char *at;
    size_t len;
};

struct ks_ptx_scan {
    const char *at, *end;
};

// 1: part of a word; 2: white space; 3: punctuation of PTX; 0: anything else.
extern const unsigned char ks_ptx_class[256];

// Strings and comments, which are rare: out of line. At a '/': true when a comment was skipped.
bool ks_ptx_scan_comment(struct ks_ptx_scan *scan);
// A string, or what is not PTX.
struct ks_ptx_token ks_ptx_scan_rest(struct ks_ptx_scan *scan);

static inline void ks_ptx_skip_space(struct ks_ptx_scan *scan)
{
    for (;;) {
        while (scan->at < scan->end && ks_ptx_class[(unsigned char)*scan->at] == 2)
            scan->at++;
        if (scan->at >= scan->end || *scan->at != '/' || !ks_ptx_scan_comment(scan))
            return;
    }
}

static inline struct ks_ptx_token ks_ptx_next(struct ks_ptx_scan *scan)
{
    ks_ptx_skip_space(scan);
    const char *p = scan->at;
    if (p >= scan->end)
        return (struct ks_ptx_token){KS_PTX_END, p, 0};
    unsigned char kind = ks_ptx_class[(unsigned char)*p];
    if (kind == 3) {
        scan->at++;
        return (struct ks_ptx_token){KS_PTX_PUNCT, p, 1};
    }
    if (kind != 1)
        return ks_ptx_scan_rest(scan);
    for (;;) {
        while (p < scan->end && ks_ptx_class[(unsigned char)*p] == 1)
            p++;
        // "ld.shared::cta.u32" is one word; "label:" is a word and a colon.
        if (p + 2 < scan->end && p[0] == ':' && p[1] == ':')
            p += 2;
        else
            break;
    }
    struct ks_ptx_token token = {KS_PTX_WORD, scan->at, (size_t)(p - scan->at)};
    scan->at = p;
    return token;
}

static inline bool ks_ptx_is(const struct ks_ptx_token *token, const char *text)
{
    size_t n = strlen(text);
    return token->len == n && memcmp(token->at, text, n) == 0;
}

static inline bool ks_ptx_is_char(const struct ks_ptx_token *token, char c)
{
    return token->kind == KS_PTX_PUNCT && *token->at == c;
}

static inline bool ks_ptx_begins(const struct ks_ptx_token *token, const char *text)
{
    size_t n = strlen(text);
    return token->len >= n && memcmp(token->at, text, n) == 0;
}

// A name the program chose: no register, number, special register or directive.
static inline bool ks_ptx_is_name(const struct ks_ptx_token *token)
{
    char c = *token->at;
    return token->kind == KS_PTX_WORD && c != '%' && c != '.' && (c < '0' || c > '9');
}

// To behind the newline: .loc, .file, .version and .target end with their line.
void ks_ptx_skip_line(struct ks_ptx_scan *scan);
// To behind the '}' that closes the '{' just read; false when there is none.
bool ks_ptx_skip_block(struct ks_ptx_scan *scan);

#endif
