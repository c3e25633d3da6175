#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The contract promises one line: a control character in a quoted user text must not break that.
static void keep_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

enum ks_status ks_err_set(struct ks_err *err, enum ks_status status, const char *format, ...)
{
    if (err == NULL)
        return status;
    // Formatted aside: an argument may be err->text itself.
    char text[KS_ERR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    keep_one_line(text);
    err->status = status;
    memcpy(err->text, text, sizeof text);
    return status;
}

enum ks_status ks_err_errno(struct ks_err *err, const char *format, ...)
{
    int number = errno;
    enum ks_status status = number == ENOENT ? KS_E_ABSENT : KS_E_IO;
    if (err == NULL)
        return status;
    char context[KS_ERR_TEXT / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    char reason[128];
    return ks_err_set(err, status, "%s: %s", context, strerror_r(number, reason, sizeof reason));
}

enum ks_status ks_err_prefix(struct ks_err *err, const char *format, ...)
{
    if (err == NULL)
        return KS_E_INTERNAL;
    char context[KS_ERR_TEXT / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    return ks_err_set(err, err->status, "%s: %s", context, err->text);
}

const char *ks_status_name(enum ks_status status)
{
    switch (status) {
    case KS_OK:
        return "ok";
    case KS_E_USER:
        return "user";
    case KS_E_ABSENT:
        return "absent";
    case KS_E_IO:
        return "io";
    case KS_E_FORMAT:
        return "format";
    case KS_E_TRUST:
        return "trust";
    case KS_E_LIMIT:
        return "limit";
    case KS_E_CHILD:
        return "child";
    case KS_E_DEVICE:
        return "device";
    case KS_E_UNSUPPORTED:
        return "unsupported";
    case KS_E_MEMORY:
        return "memory";
    case KS_E_INTERRUPTED:
        return "interrupted";
    case KS_E_INTERNAL:
        return "internal";
    }
    return "unknown";
}

static void (*fatal_hook)(const char *text);

void ks_on_fatal(void (*hook)(const char *text))
{
    fatal_hook = hook;
}

void ks_fatal(const char *format, ...)
{
    char text[KS_ERR_TEXT]; // no memory is asked for: it may be what is lacking
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (fatal_hook != NULL)
        fatal_hook(text);
    fprintf(stderr, "ks: %s\n", text);
    abort();
}

void ks_assert_failed(const char *expression, const char *file, int line)
{
    ks_fatal("%s:%d: invariant broken: %s", file, line, expression);
}
