#include "agent/answer_bytes.h"

#include <stdio.h>
#include <string.h>

// Length of the well-formed sequence at `at` (RFC 3629), 0: none is there.
static size_t sequence(const unsigned char *at, size_t left)
{
    unsigned char a = at[0];
    if (a < 0x80)
        return a != 0;
    size_t n = a >= 0xc2 && a < 0xe0 ? 2 : a >= 0xe0 && a < 0xf0 ? 3 : a >= 0xf0 && a < 0xf5 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (a == 0xe0 && at[1] < 0xa0) || (a == 0xf0 && at[1] < 0x90);
    bool beyond = (a == 0xed && at[1] >= 0xa0) || (a == 0xf4 && at[1] >= 0x90);
    return overlong || beyond ? 0 : n;
}

bool ks_is_utf8(struct ks_slice bytes)
{
    size_t n = 0;
    for (size_t at = 0; at < bytes.len; at += n) {
        n = sequence((const unsigned char *)bytes.at + at, bytes.len - at);
        if (n == 0)
            return false;
    }
    return true;
}

void ks_hex(const char *bytes, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[(unsigned char)bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t ks_unhex(const char *digits, char *out, size_t most)
{
    size_t n = 0;
    while (n < most && digit(digits[2 * n]) >= 0 && digit(digits[2 * n + 1]) >= 0) {
        out[n] = (char)(digit(digits[2 * n]) << 4 | digit(digits[2 * n + 1]));
        n++;
    }
    return n;
}
