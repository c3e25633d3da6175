#include "agent/redact.h"

#include <ctype.h>
#include <string.h>

#define KEY_LEAST 16 // characters behind sk-

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static size_t word_length(struct ks_slice text, size_t at)
{
    size_t n = 0;
    while (at + n < text.len && is_word(text.at[at + n]))
        n++;
    return n;
}

static bool begins(struct ks_slice text, size_t at, const char *with)
{
    size_t n = strlen(with);
    return n > 0 && text.len - at >= n && memcmp(text.at + at, with, n) == 0;
}

// Length of a secret that begins at `at`, 0: none does.
static size_t secret_length(const struct ks_redaction *r, struct ks_slice text, size_t at)
{
    for (size_t i = 0; i < r->secrets.len; i++)
        if (begins(text, at, r->secrets.at[i]))
            return strlen(r->secrets.at[i]);
    if (at > 0 && is_word(text.at[at - 1]))
        return 0;
    if (begins(text, at, "sk-") && word_length(text, at) >= KEY_LEAST + 3)
        return word_length(text, at);
    if (begins(text, at, "Bearer ") && word_length(text, at + 7) >= KEY_LEAST)
        return 7 + word_length(text, at + 7);
    return 0;
}

// Length of an absolute path's folders, up to behind the last slash.
static size_t folders_length(struct ks_slice text, size_t at)
{
    size_t n = 0, last = 0;
    if (text.at[at] != '/' || (at > 0 && (is_word(text.at[at - 1]) || strchr("/~)]", text.at[at - 1]))))
        return 0;
    for (n = 1; at + n < text.len && (is_word(text.at[at + n]) || text.at[at + n] == '/'); n++)
        if (text.at[at + n] == '/')
            last = n;
    return last > 0 ? last + 1 : 0;
}

static void redact(const struct ks_redaction *r, struct ks_slice text, bool message, struct ks_buf *out)
{
    for (size_t at = 0; at < text.len;) {
        size_t n = secret_length(r, text, at);
        if (n > 0) {
            ks_buf_puts(out, "[secret]");
        } else if (message && (n = folders_length(text, at)) > 0) {
            // the file's name follows
        } else if (r->home != NULL && begins(text, at, r->home) &&
                   (at + strlen(r->home) == text.len || text.at[at + strlen(r->home)] == '/')) {
            n = strlen(r->home);
            ks_buf_putc(out, '~');
        } else {
            n = 1;
            ks_buf_putc(out, text.at[at]);
        }
        at += n;
    }
}

void ks_redact(const struct ks_redaction *r, struct ks_slice text, struct ks_buf *out)
{
    redact(r, text, false, out);
}

void ks_redact_message(const struct ks_redaction *r, struct ks_slice text, struct ks_buf *out)
{
    redact(r, text, true, out);
}
