#include "key/ptx_scan.h"

#define W 1
#define S 2
#define P 3
// clang-format off
const unsigned char ks_ptx_class[256] = {
    ['\t'] = S, ['\n'] = S, ['\v'] = S, ['\f'] = S, ['\r'] = S, [' '] = S,
    ['$'] = W, ['%'] = W, ['.'] = W, ['_'] = W,
    ['{'] = P, ['}'] = P, ['('] = P, [')'] = P, ['['] = P, [']'] = P, ['<'] = P, ['>'] = P,
    [','] = P, [';'] = P, [':'] = P, ['@'] = P, ['!'] = P, ['='] = P, ['+'] = P, ['-'] = P,
    ['*'] = P, ['&'] = P, ['|'] = P, ['^'] = P, ['~'] = P, ['?'] = P,
    ['0' ... '9'] = W, ['A' ... 'Z'] = W, ['a' ... 'z'] = W,
};
// clang-format on

bool ks_ptx_scan_comment(struct ks_ptx_scan *scan)
{
    const char *p = scan->at;
    size_t left = (size_t)(scan->end - p);
    if (left < 2)
        return false;
    if (p[1] == '/') {
        const char *newline = memchr(p, '\n', left);
        scan->at = newline == NULL ? scan->end : newline;
        return true;
    }
    if (p[1] == '*') {
        const char *close = memmem(p + 2, left - 2, "*/", 2);
        if (close == NULL)
            return false; // the '/' then reads as a bad token
        scan->at = close + 2;
        return true;
    }
    return false;
}

struct ks_ptx_token ks_ptx_scan_rest(struct ks_ptx_scan *scan)
{
    const char *p = scan->at;
    size_t left = (size_t)(scan->end - p);
    if (*p == '"') {
        const char *close = memchr(p + 1, '"', left - 1);
        const char *newline = memchr(p, '\n', left);
        if (close != NULL && (newline == NULL || newline > close)) {
            scan->at = close + 1;
            return (struct ks_ptx_token){KS_PTX_STRING, p, (size_t)(close + 1 - p)};
        }
    } else if (*p == '/' && (left < 2 || p[1] != '*')) { // a division: comments went before
        scan->at++;
        return (struct ks_ptx_token){KS_PTX_PUNCT, p, 1};
    }
    scan->at++;
    return (struct ks_ptx_token){KS_PTX_BAD, p, 1};
}

void ks_ptx_skip_line(struct ks_ptx_scan *scan)
{
    const char *newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    scan->at = newline == NULL ? scan->end : newline + 1;
}

bool ks_ptx_skip_block(struct ks_ptx_scan *scan)
{
    // Only these bytes matter on the way; the table keeps the loop at about a byte a cycle.
    static const unsigned char stop[256] = {['{'] = 1, ['}'] = 1, ['/'] = 1, ['"'] = 1};
    int depth = 1;
    for (;;) {
        const char *p = scan->at;
        while (p < scan->end && !stop[(unsigned char)*p])
            p++;
        scan->at = p;
        if (p >= scan->end)
            return false;
        if (*p == '{') {
            depth++;
            scan->at++;
        } else if (*p == '}') {
            scan->at++;
            if (--depth == 0)
                return true;
        } else if (*p == '"') {
            if (ks_ptx_scan_rest(scan).kind == KS_PTX_BAD)
                return false;
        } else if (!ks_ptx_scan_comment(scan)) {
            scan->at++;
        }
    }
}
