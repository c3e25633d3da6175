// Standard streams of a child, kept back: declared in os/proc.h.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/proc.h"
#include "os/spawn.h"

static bool lead_to_the_same(int a, int b)
{
    struct stat one, two;
    return fstat(a, &one) == 0 && fstat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

void ks_held_begin(struct ks_held *held)
{
    *held = (struct ks_held){{0, 0}};
    for (int i = 0; i < 2; i++) {
        int flags = fcntl(i + 1, F_GETFD);
        if (isatty(i + 1) == 1 || flags < 0 || (flags & FD_CLOEXEC) != 0)
            continue; // or it is closed for the child
        if (i == 1 && held->fds[0] > 0 && lead_to_the_same(1, 2)) {
            held->fds[1] = held->fds[0]; // one file keeps the order
            break;
        }
        int fd = memfd_create("held", MFD_CLOEXEC);
        held->fds[i] = fd < 0 ? 0 : fd;
    }
}

bool ks_held_says(const struct ks_held *held, const char *word)
{
    size_t n = strlen(word);
    bool says = false;
    for (int i = 0; i < 2 && !says; i++) {
        struct stat st;
        if (held->fds[i] <= 0 || fstat(held->fds[i], &st) != 0 || st.st_size == 0)
            continue;
        char *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, held->fds[i], 0);
        if (text == MAP_FAILED)
            continue;
        says = memmem(text, (size_t)st.st_size, word, n) != NULL;
        munmap(text, (size_t)st.st_size);
    }
    return says;
}

// False: nobody reads any more, or there is no room.
static bool write_out(int to, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t written = write(to, data, n);
        if (written >= 0) {
            data += written;
            n -= (size_t)written;
        } else if (errno == EAGAIN) { // somebody made our stream non-blocking
            struct pollfd ready = {.fd = to, .events = POLLOUT};
            poll(&ready, 1, 1000);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

void ks_held_pass(struct ks_held *held)
{
    char chunk[16 * 1024];
    for (int i = 0; i < 2; i++) {
        off_t at = 0;
        ssize_t n = 1;
        bool open = held->fds[i] > 0 && !(i == 1 && held->fds[1] == held->fds[0]);
        while (open && n != 0) {
            n = pread(held->fds[i], chunk, sizeof chunk, at);
            if (n < 0 && errno != EINTR)
                break;
            if (n > 0 && !write_out(i + 1, chunk, (size_t)n))
                break;
            at += n > 0 ? n : 0;
        }
    }
    ks_held_drop(held);
}

void ks_held_drop(struct ks_held *held)
{
    if (held->fds[0] > 0)
        close(held->fds[0]);
    if (held->fds[1] > 0 && held->fds[1] != held->fds[0])
        close(held->fds[1]);
    *held = (struct ks_held){{0, 0}};
}
