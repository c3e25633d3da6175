// Without a name (O_TMPFILE) a file vanishes with the process that writes it. rename(2) wants a
// name, so it gets one at the very end, always the same for one target: the moment in between is
// two system calls long, and what a kill leaves there is found and removed by the next writer. A
// name is in use while its file is locked.
//
// Where files cannot be made so (NFS, no /proc), they have a name of their own from the start.
#include "os/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

#define NAMES 100 // tried before giving up: one for each writer of one target at one moment

struct draft {
    struct ks_arena arena;
    const char *target, *dir;
    mode_t mode;
    bool durable;
};

static mode_t first_mode(const struct draft *draft)
{
    return draft->mode == 0 ? 0644 : 0600; // the kernel applies the umask; the others wait
}

// "DIR/.ks-HASH" for n = 0, short however long the target's name is; then names of this process.
static char *draft_name(struct draft *draft, int n)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char *at = ks_path_base(draft->target); *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    char *name =
        ks_arena_printf(&draft->arena, "%s/.ks-%016llx", draft->dir, (unsigned long long)hash);
    return n == 0 ? name : ks_arena_printf(&draft->arena, "%s-%d-%d", name, (int)getpid(), n);
}

// Removes our file of this name if no process is at work on it.
static bool remove_abandoned(const char *name)
{
    struct stat held, now;
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    bool removed = fstat(fd, &held) == 0 && held.st_uid == geteuid() &&
                   flock(fd, LOCK_EX | LOCK_NB) == 0 && lstat(name, &now) == 0 &&
                   now.st_ino == held.st_ino && now.st_dev == held.st_dev && unlink(name) == 0;
    close(fd);
    return removed;
}

// linkat(2) wants a privilege for a bare descriptor, and none for its name in /proc.
static const char *give_name(struct draft *draft, int fd)
{
    const char *own = ks_arena_printf(&draft->arena, "/proc/self/fd/%d", fd);
    (void)flock(fd, LOCK_EX | LOCK_NB); // refused: nobody removes what cannot be locked
    for (int n = 0; n < NAMES; n++) {
        const char *name = draft_name(draft, n);
        if (linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
            return name;
        if (errno == EEXIST && n == 0 && remove_abandoned(name) &&
            linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
            return name;
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

static bool sync_directory(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    // Some network file systems refuse fsync on a directory; they order renames themselves.
    bool ok = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
    close(fd);
    return ok;
}

static bool finish(struct draft *draft, int fd)
{
    return (draft->mode == 0 || fchmod(fd, draft->mode) == 0) &&
           (!draft->durable || fsync(fd) == 0);
}

// Unlinks and closes what is given of both; errno stays.
static bool give_up(const char *name, int fd)
{
    int saved = errno;
    if (name != NULL)
        (void)unlink(name);
    if (fd >= 0)
        close(fd);
    errno = saved;
    return false;
}

static bool publish_unnamed(struct draft *draft, bool (*fill)(int, void *), void *context)
{
    const char *name = NULL;
    int fd = open(draft->dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode(draft));
    if (fd < 0)
        return false;
    if (!fill(fd, context) || !finish(draft, fd) || (name = give_name(draft, fd)) == NULL ||
        rename(name, draft->target) != 0)
        return give_up(name, fd);
    close(fd); // and with it the lock
    return true;
}

static bool publish_named(struct draft *draft, bool (*fill)(int, void *), void *context)
{
    const char *name = NULL;
    int fd = -1;
    for (int n = 1; fd < 0 && n < NAMES; n++) {
        name = draft_name(draft, n);
        fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, first_mode(draft));
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return false;
    if (!fill(fd, context) || !finish(draft, fd))
        return give_up(name, fd);
    if (close(fd) != 0 || rename(name, draft->target) != 0) // NFS tells of a full disk at close
        return give_up(name, -1);
    return true;
}

bool ks_publish(const char *target, mode_t mode, bool durable, bool (*fill)(int fd, void *context),
                void *context)
{
    struct draft draft = {.target = target, .mode = mode, .durable = durable};
    draft.dir = ks_path_dir(&draft.arena, target);
    bool ok = publish_unnamed(&draft, fill, context) || publish_named(&draft, fill, context);
    ok = ok && (!durable || sync_directory(draft.dir));
    int saved = errno;
    ks_arena_free(&draft.arena);
    errno = saved;
    return ok;
}
