// The growable buffer of base/str.h.
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ks_buf_free(struct ks_buf *buf)
{
    free(buf->data);
    *buf = (struct ks_buf){.max = buf->max};
}

void ks_buf_clear(struct ks_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

// Room for n more bytes and the terminator; false when that would pass the maximum.
static bool reserve(struct ks_buf *buf, size_t n)
{
    if (buf->failed)
        return false;
    if (n > buf->max || buf->len > buf->max - n) {
        buf->failed = true;
        return false;
    }
    size_t need = buf->len + n + 1;
    if (need <= buf->cap)
        return true;
    size_t cap = buf->cap < 128 ? 256 : buf->cap * 2;
    if (cap < need)
        cap = need;
    if (cap - 1 > buf->max)
        cap = buf->max + 1;
    char *data = realloc(buf->data, cap);
    if (data == NULL) // as the arena: out of memory ends the process
        ks_fatal("out of memory (%zu bytes)", cap);
    buf->data = data;
    buf->cap = cap;
    return true;
}

void ks_buf_add(struct ks_buf *buf, const void *data, size_t n)
{
    if (!reserve(buf, n))
        return;
    if (n > 0)
        memcpy(buf->data + buf->len, data, n);
    buf->len += n;
    buf->data[buf->len] = '\0';
}

void ks_buf_puts(struct ks_buf *buf, const char *text)
{
    ks_buf_add(buf, text, strlen(text));
}

void ks_buf_putc(struct ks_buf *buf, char c)
{
    ks_buf_add(buf, &c, 1);
}

void ks_buf_slice(struct ks_buf *buf, struct ks_slice slice)
{
    ks_buf_add(buf, slice.at, slice.len);
}

void ks_buf_printf(struct ks_buf *buf, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0) {
        buf->failed = true;
    } else if ((size_t)n < sizeof small) {
        ks_buf_add(buf, small, (size_t)n);
    } else if (reserve(buf, (size_t)n)) {
        va_start(args, format);
        vsnprintf(buf->data + buf->len, (size_t)n + 1, format, args);
        va_end(args);
        buf->len += (size_t)n;
    }
}

enum ks_status ks_buf_check(const struct ks_buf *buf, const char *what, struct ks_err *err)
{
    if (buf->failed)
        KS_FAIL(err, KS_E_LIMIT, "%s is longer than %zu bytes", what, buf->max);
    return KS_OK;
}

const char *ks_buf_text(const struct ks_buf *buf)
{
    return buf->data == NULL ? "" : buf->data;
}

char *ks_buf_take(struct ks_buf *buf)
{
    char *text = buf->data;
    if (text == NULL) {
        text = calloc(1, 1);
        KS_ASSERT(text != NULL);
    }
    *buf = (struct ks_buf){.max = buf->max};
    return text;
}
