#include "store/append.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 100

static bool ends_open(int fd)
{
    char last;
    off_t size = lseek(fd, 0, SEEK_END);
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

// The file, held so that nobody takes it for finished; -1 and errno. Where locks are refused it is
// opened all the same.
static int open_held(const char *path)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        struct stat st;
        int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
            return -1;
        bool taken = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && fstat(fd, &st) == 0 && st.st_nlink > 0)
            return fd;
        close(fd); // finished between open and lock: there is a new one, or will be
        sched_yield();
    }
    errno = EAGAIN;
    return -1;
}

enum ks_status ks_append(const char *path, const struct ks_buf *entry, struct ks_err *err)
{
    int fd = open_held(path);
    if (fd < 0)
        return ks_err_errno(err, "%s", path);
    size_t skip = ends_open(fd) ? 0 : 1;
    ssize_t n;
    do
        n = write(fd, entry->data + skip, entry->len - skip);
    while (n < 0 && errno == EINTR);
    enum ks_status status = KS_OK;
    if (n < 0)
        status = ks_err_errno(err, "%s", path);
    else if ((size_t)n != entry->len - skip)
        status = ks_err_set(err, KS_E_IO, "%s: no room for an entry", path);
    close(fd);
    return status;
}

int ks_append_finish(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}
