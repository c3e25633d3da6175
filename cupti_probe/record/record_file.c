#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GATHERED (64 << 10)
#define RESERVE 8192 // room kept for one line's end; longer names are cut

static const char *file;
static char gathered[GATHERED];
static size_t length, line;
static bool failed;

void record_open(const char *path)
{
    file = path;
}

static void put(char c)
{
    if (length < GATHERED)
        gathered[length++] = c;
}

void record_text(const char *text)
{
    while (*text != '\0')
        put(*text++);
}

void record_number(int64_t value)
{
    char digits[24];
    size_t n = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0)
        put('-');
    do
        digits[n++] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    while (n > 0)
        put(digits[--n]);
}

void record_string(const char *text)
{
    static const char hex[] = "0123456789abcdef";
    put('"');
    for (; *text != '\0' && length < GATHERED - RESERVE / 2; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            put('\\');
            put((char)c);
        } else if (c < 0x20 || c >= 0x7f) { // no encoding is assumed: a byte is its own character
            record_text("\\u00");
            put(hex[c >> 4]);
            put(hex[c & 15]);
        } else {
            put((char)c);
        }
    }
    put('"');
}

void record_begin(void)
{
    if (length > GATHERED / 2)
        record_flush();
    if (length == 0)
        put('\n');
    line = length;
    record_text("{\"p\":");
    record_number(getpid());
}

void record_end(void)
{
    record_text("}\n");
}

size_t record_length(void)
{
    return length - line;
}

// A file size limit would end the program by SIGXFSZ: it is held back here and taken off again.
static bool append(void)
{
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    size_t done = 0;
    while (fd >= 0 && done < length) {
        ssize_t n = write(fd, gathered + done, length - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            break;
    }
    if (fd >= 0)
        close(fd);
    if (done < length && sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1)
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done == length;
}

bool record_flush(void)
{
    if (!failed && length > 0)
        failed = !append();
    length = 0;
    return !failed;
}
