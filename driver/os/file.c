// Single files: reading, publishing, copying. Directories are in os/dir.c.
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "os/publish.h"

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

static bool fill_with_bytes(int fd, void *context)
{
    const struct ks_slice *bytes = context;
    return write_all(fd, bytes->at, bytes->len);
}

enum ks_status ks_file_write(const char *path, const void *data, size_t n, bool durable,
                             mode_t mode, struct ks_err *err)
{
    struct ks_slice bytes = {data, n};
    if (!ks_publish(path, mode, durable, fill_with_bytes, &bytes))
        return ks_err_errno(err, "cannot write %s", path);
    return KS_OK;
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

static bool fill_from_file(int to, void *context)
{
    const int *from = context;
    char chunk[64 * 1024];
    if (lseek(*from, 0, SEEK_SET) != 0)
        return false;
    for (;;) {
        ssize_t n = read(*from, chunk, sizeof chunk);
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
    enum ks_status status = KS_OK;
    if (fstat(in, &info) != 0 || !S_ISREG(info.st_mode))
        status = ks_err_set(err, KS_E_IO, "%s: not a regular file", from);
    else if (!ks_publish(to, info.st_mode & 0777, false, fill_from_file, &in))
        status = ks_err_errno(err, "cannot copy %s to %s", from, to);
    close(in);
    return status;
}

bool ks_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

struct ks_file_id ks_file_identify(const struct stat *info)
{
    return (struct ks_file_id){.device = (int64_t)info->st_dev,
                               .inode = (int64_t)info->st_ino,
                               .size = info->st_size,
                               .modified = {info->st_mtim.tv_sec, info->st_mtim.tv_nsec},
                               .changed = {info->st_ctim.tv_sec, info->st_ctim.tv_nsec}};
}

bool ks_file_is_still(const char *path, const struct ks_file_id *id)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    struct ks_file_id now = ks_file_identify(&info);
    return now.device == id->device && now.inode == id->inode && now.size == id->size &&
           now.modified[0] == id->modified[0] && now.modified[1] == id->modified[1] &&
           now.changed[0] == id->changed[0] && now.changed[1] == id->changed[1];
}
