// Single files: reading, publishing, copying. Directories are in os/dir.c.
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t ks_fd_read(int fd, void *data, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t more = read(fd, (char *)data + got, n - got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break; // truncated while we read: what is there is the file
        got += (size_t)more;
    }
    return (ssize_t)got;
}

int ks_file_open_at(int dir, const char *name, struct stat *info)
{
    // O_NONBLOCK: a FIFO in the file's place must not hang a build; regular files ignore it.
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || (fstat(fd, info) == 0 && S_ISREG(info->st_mode)))
        return fd;
    close(fd);
    errno = EISDIR;
    return -1;
}

static enum ks_status read_open_file(struct ks_arena *arena, int fd, const char *path, size_t max,
                                     struct ks_slice *out, struct ks_err *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return ks_err_errno(err, "%s", path);
    if (!S_ISREG(info.st_mode))
        KS_FAIL(err, KS_E_IO, "%s: not a regular file", path);
    if ((uint64_t)info.st_size > max)
        KS_FAIL(err, KS_E_LIMIT, "%s: %lld bytes, more than the %zu that are read", path,
                (long long)info.st_size, max);
    size_t size = (size_t)info.st_size;
    char *data = ks_arena_alloc(arena, size + 1);
    ssize_t got = ks_fd_read(fd, data, size);
    if (got < 0)
        return ks_err_errno(err, "%s", path);
    data[got] = '\0';
    *out = (struct ks_slice){data, (size_t)got};
    return KS_OK;
}

enum ks_status ks_file_read(struct ks_arena *arena, const char *path, size_t max,
                            struct ks_slice *out, struct ks_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // as in ks_file_open_at
    if (fd < 0)
        return ks_err_errno(err, "%s", path);
    enum ks_status status = read_open_file(arena, fd, path, max, out, err);
    close(fd);
    return status;
}

static bool write_all(int fd, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, data, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        data += written;
        n -= (size_t)written;
    }
    return true;
}

static mode_t creation_mode(mode_t mode)
{
    if (mode != 0)
        return mode;
    // umask(2) can only be read by setting it, which would race with other threads' files.
    FILE *status = fopen("/proc/self/status", "re");
    unsigned mask = 022;
    if (status != NULL) {
        char line[256];
        while (fgets(line, sizeof line, status) != NULL)
            if (sscanf(line, "Umask: %o", &mask) == 1)
                break;
        fclose(status);
    }
    return 0644 & ~(mode_t)mask;
}

static bool sync_directory(const char *file)
{
    struct ks_arena arena = {0};
    int fd = open(ks_path_dir(&arena, file), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ks_arena_free(&arena);
    if (fd < 0)
        return false;
    // Some network file systems refuse fsync on a directory; they order renames themselves.
    bool ok = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
    close(fd);
    return ok;
}

// Writes and renames; on failure errno is set and nothing is left behind.
static bool publish(const char *temporary, const char *path, int fd, const void *data, size_t n,
                    bool durable, mode_t mode)
{
    bool ok = write_all(fd, data, n) && fchmod(fd, creation_mode(mode)) == 0 &&
              (!durable || fsync(fd) == 0);
    int saved = errno;
    if (close(fd) != 0 && ok) { // NFS reports a full disk here
        saved = errno;
        ok = false;
    }
    if (ok && rename(temporary, path) != 0) {
        saved = errno;
        ok = false;
    }
    if (!ok)
        unlink(temporary);
    errno = saved;
    return ok && (!durable || sync_directory(path));
}

enum ks_status ks_file_write(const char *path, const void *data, size_t n, bool durable,
                             mode_t mode, struct ks_err *err)
{
    struct ks_arena arena = {0};
    enum ks_status status = KS_OK;
    char *temporary = ks_arena_printf(&arena, "%s/.ks-XXXXXX", ks_path_dir(&arena, path));
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0 || !publish(temporary, path, fd, data, n, durable, mode))
        status = ks_err_errno(err, "cannot write %s", path);
    ks_arena_free(&arena);
    return status;
}

enum ks_status ks_file_update(const char *path, const void *data, size_t n, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_slice old;
    bool same = ks_file_read(&arena, path, n, &old, NULL) == KS_OK && old.len == n &&
                (n == 0 || memcmp(old.at, data, n) == 0);
    ks_arena_free(&arena);
    return same ? KS_OK : ks_file_write(path, data, n, false, 0, err);
}

static bool copy_bytes(int from, int to)
{
    char chunk[64 * 1024];
    for (;;) {
        ssize_t n = read(from, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        if (!write_all(to, chunk, (size_t)n))
            return false;
    }
}

enum ks_status ks_file_copy(const char *from, const char *to, struct ks_err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (in < 0)
        return ks_err_errno(err, "%s", from);
    struct stat info;
    if (fstat(in, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(in);
        KS_FAIL(err, KS_E_IO, "%s: not a regular file", from);
    }
    struct ks_arena arena = {0};
    enum ks_status status = KS_OK;
    char *temporary = ks_arena_printf(&arena, "%s/.ks-XXXXXX", ks_path_dir(&arena, to));
    int out = mkostemp(temporary, O_CLOEXEC);
    if (out < 0) {
        status = ks_err_errno(err, "cannot write %s", to);
    } else if (!copy_bytes(in, out)) {
        status = ks_err_errno(err, "cannot copy %s to %s", from, to);
        close(out);
        unlink(temporary);
    } else if (!publish(temporary, to, out, "", 0, false, info.st_mode & 0777)) {
        status = ks_err_errno(err, "cannot write %s", to);
    }
    close(in);
    ks_arena_free(&arena);
    return status;
}

bool ks_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
