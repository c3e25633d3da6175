#include "os/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "os/clock.h"

bool ks_term_is_tty(void)
{
    return isatty(STDERR_FILENO) == 1;
}

static bool set_and_not_empty(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

bool ks_term_colour(void)
{
    // https://no-color.org first; https://bixense.com/clicolors for the force.
    if (set_and_not_empty("NO_COLOR"))
        return false;
    const char *force = getenv("CLICOLOR_FORCE");
    if (force != NULL && force[0] != '\0' && strcmp(force, "0") != 0)
        return true;
    const char *term = getenv("TERM");
    return ks_term_is_tty() && term != NULL && strcmp(term, "dumb") != 0;
}

int ks_term_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

static struct {
    bool live;   // an unfinished line stands on the terminal
    double last; // when something was written
    char key[128];
} progress;

// The first `columns` characters of UTF-8 text, in bytes.
static int fit(const char *text, int columns)
{
    int bytes = 0;
    for (; text[bytes] != '\0'; bytes++)
        if (((unsigned char)text[bytes] & 0xc0) != 0x80 && columns-- == 0)
            break;
    return bytes;
}

void ks_progress(const char *key, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    const char *term = getenv("TERM");
    bool rewrite = ks_term_is_tty() && term != NULL && strcmp(term, "dumb") != 0;
    bool new_key = strncmp(progress.key, key, sizeof progress.key - 1) != 0;
    double now = ks_now();
    if (!new_key && now - progress.last < (rewrite ? 0.1 : 10.0))
        return;
    snprintf(progress.key, sizeof progress.key, "%s", key);
    progress.last = now;
    if (rewrite) {
        // "\033[K" clears what a longer line left; one column is kept so that nothing wraps.
        fprintf(stderr, "\r%.*s\033[K", fit(text, ks_term_width() - 1), text);
        progress.live = true;
    } else {
        fprintf(stderr, "%s\n", text);
    }
    fflush(stderr);
}

void ks_progress_done(void)
{
    if (progress.live)
        fputc('\n', stderr);
    progress.live = false;
    progress.key[0] = '\0';
}
