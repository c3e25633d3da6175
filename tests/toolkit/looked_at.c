// Loaded into gcc and what it starts: each file that is looked for ("r") or written ("w"), by the
// name it is asked for, goes to the file that KS_TEST_LOOKED names, a line each that ends with a
// NUL. What does not change while tests run is left out.
//
// Loaded into cicc too, for its memory: in large pages, without which page faults are a sixth of
// its time.
#include <dlfcn.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void tell(bool writes, const char *path)
{
    static const char *const fixed[] = {"/usr/",
                                        "/lib",
                                        "/etc/",
                                        "/proc/",
                                        "/dev/",
                                        "/sys/",
                                        KS_REAL_TOOLKIT "/",
                                        KS_TEST_TOOLKIT "/"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strncmp(path, fixed[i], strlen(fixed[i])) == 0)
            return;
    const char *to = getenv("KS_TEST_LOOKED");
    int fd =
        to == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return;
    struct iovec line[] = {{(void *)(writes ? "w" : "r"), 1}, {(void *)path, strlen(path) + 1}};
    if (writev(fd, line, 2) < 0)
        abort(); // not to be remembered
    (void)syscall(SYS_close, fd);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        REAL(name);                                                                                \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;             \
        va_end(args);                                                                              \
        tell((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0, path);                                  \
        return real(path, flags, mode);                                                            \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
    int name(int dir, const char *path, int flags, ...)                                            \
    {                                                                                              \
        REAL(name);                                                                                \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;             \
        va_end(args);                                                                              \
        tell((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0, path);                                  \
        return real(dir, path, flags, mode);                                                       \
    }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                                                                \
    FILE *name(const char *path, const char *mode)                                                 \
    {                                                                                              \
        REAL(name);                                                                                \
        tell(strpbrk(mode, "wa+") != NULL, path);                                                  \
        return real(path, mode);                                                                   \
    }
FOPEN(fopen)
FOPEN(fopen64)

#define STAT(name, type)                                                                           \
    int name(const char *path, struct type *info)                                                  \
    {                                                                                              \
        REAL(name);                                                                                \
        tell(false, path);                                                                         \
        return real(path, info);                                                                   \
    }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

// As programs built before glibc 2.33 call them.
#define XSTAT(name, type)                                                                          \
    int name(int version, const char *path, struct type *info);                                    \
    int name(int version, const char *path, struct type *info)                                     \
    {                                                                                              \
        REAL(name);                                                                                \
        tell(false, path);                                                                         \
        return real(version, path, info);                                                          \
    }
XSTAT(__xstat, stat)
XSTAT(__xstat64, stat64)
XSTAT(__lxstat, stat)
XSTAT(__lxstat64, stat64)

int access(const char *path, int how)
{
    REAL(access);
    tell(false, path);
    return real(path, how);
}

DIR *opendir(const char *path)
{
    REAL(opendir);
    tell(false, path);
    return real(path);
}

#define LARGE ((size_t)2 << 20)
#define MMAP(name)                                                                                 \
    void *name(void *at, size_t bytes, int access, int flags, int fd, off_t offset)                \
    {                                                                                              \
        void *got = (void *)syscall(SYS_mmap, at, bytes, access, flags, fd, offset);               \
        if (got != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0 && bytes >= LARGE)                   \
            (void)syscall(SYS_madvise, got, bytes, MADV_HUGEPAGE);                                 \
        return got;                                                                                \
    }
MMAP(mmap)
MMAP(mmap64)

#define MKSTEMPS(name)                                                                             \
    int name(char *path, int suffix)                                                               \
    {                                                                                              \
        REAL(name);                                                                                \
        int fd = real(path, suffix);                                                               \
        if (fd >= 0)                                                                               \
            tell(true, path);                                                                      \
        return fd;                                                                                 \
    }
MKSTEMPS(mkstemps)
MKSTEMPS(mkstemps64)
