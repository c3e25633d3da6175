#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const level_names[] = {"error", "warn", "info", "debug"};

static const char *program_name = "ks";
static enum ks_log_level threshold = KS_LOG_WARN;
static struct timespec begun;

void ks_log_init(const char *program, enum ks_log_level fallback)
{
    program_name = program;
    threshold = fallback;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    const char *wanted = getenv("KS_LOG");
    if (wanted == NULL)
        return;
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (strcmp(wanted, level_names[i]) == 0)
            threshold = (enum ks_log_level)i;
}

void ks_log(enum ks_log_level level, const char *format, ...)
{
    if (level > threshold)
        return;
    int saved = errno; // logging must not disturb the failure it reports
    char line[2048];
    size_t room = sizeof line - 1; // one byte is kept for the newline
    const char *label =
        level == KS_LOG_WARN ? "warning" : level_names[level]; // as compilers say it
    int n;
    if (level == KS_LOG_DEBUG) { // with the seconds since the program began
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        n = snprintf(line, room, "%s: %s: %.3f: ", program_name, label,
                     (double)(now.tv_sec - begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - begun.tv_nsec));
    } else {
        n = snprintf(line, room, "%s: %s: ", program_name, label);
    }
    size_t len = n < 0 ? 0 : (size_t)n;
    if (len < room) {
        va_list args;
        va_start(args, format);
        n = vsnprintf(line + len, room - len, format, args);
        va_end(args);
        len += n < 0 ? 0 : (size_t)n;
    }
    if (len >= room)
        len = room - 1;
    line[len++] = '\n';
    for (size_t at = 0; at < len;) {
        ssize_t written = write(STDERR_FILENO, line + at, len - at);
        if (written < 0 && errno != EINTR)
            break;
        at += written > 0 ? (size_t)written : 0;
    }
    errno = saved;
}
