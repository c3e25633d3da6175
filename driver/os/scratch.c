// $TMPDIR/ks-tmp-UID/STEM-XXXXXX: a folder for each process, locked as long as it lives. The kernel
// drops the lock with the process, whatever ended it, so a folder that can be locked belongs to
// nobody: no process number is asked about, which another machine or container would know nothing
// of. Where locks are refused (NFS), folders of a day ago are taken for abandoned.
#include "os/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "os/file.h"

#define LOOKED_AT 64 // entries of the common folder, in one call
#define REMOVED 4    // of them: a build is not to pay for all that others left
#define DAY (24 * 3600)
#define TRIES 10

// Folders of this process.
static struct held {
    struct held *next;
    char *path;
    int fd;
    bool in_common; // and not right below $TMPDIR
} * all_held;
static pthread_mutex_t held_mutex = PTHREAD_MUTEX_INITIALIZER;

static bool is_private(const struct stat *st)
{
    return S_ISDIR(st->st_mode) && st->st_uid == geteuid() && (st->st_mode & 022) == 0;
}

// Whether nobody uses this folder of ours; `fd` then keeps others from removing it too.
static bool is_abandoned(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !is_private(&st))
        return false;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    return errno != EWOULDBLOCK && errno != EINTR && st.st_mtime < time(NULL) - DAY;
}

static void remove_abandoned(const char *common)
{
    struct ks_arena arena = {0};
    DIR *dir = opendir(common);
    struct dirent *entry = NULL;
    int removed = 0;
    for (int n = 0; dir != NULL && n < LOOKED_AT && removed < REMOVED; n++) {
        if ((entry = readdir(dir)) == NULL)
            break;
        if (entry->d_name[0] == '.')
            continue;
        int fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (is_abandoned(fd))
            removed += ks_tree_remove(ks_path_join(&arena, common, entry->d_name), NULL) == KS_OK;
        close(fd);
    }
    if (dir != NULL)
        closedir(dir);
    ks_arena_free(&arena);
}

// Locks the new folder and keeps it in mind. False with errno EAGAIN where somebody took it for
// abandoned first.
static bool hold(const char *path, bool in_common)
{
    struct stat st;
    struct held *held = calloc(1, sizeof *held);
    char *copy = strdup(path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool ok = held != NULL && copy != NULL && fd >= 0;
    if (ok && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        ok = false;
    else if (ok && (fstat(fd, &st) != 0 || st.st_nlink == 0)) {
        ok = false;
        errno = EAGAIN;
    }
    if (!ok) {
        int saved = errno;
        if (fd >= 0)
            close(fd);
        free(copy);
        free(held);
        errno = saved == ENOENT ? EAGAIN : saved;
        return false;
    }
    pthread_mutex_lock(&held_mutex);
    *held = (struct held){all_held, copy, fd, in_common};
    all_held = held;
    pthread_mutex_unlock(&held_mutex);
    return true;
}

void ks_dir_temp_forget(const char *path)
{
    struct held *found = NULL;
    pthread_mutex_lock(&held_mutex);
    for (struct held **at = &all_held; *at != NULL; at = &(*at)->next)
        if (strcmp((*at)->path, path) == 0) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&held_mutex);
    if (found == NULL)
        return;
    struct ks_arena arena = {0};
    close(found->fd);
    if (found->in_common)
        (void)rmdir(ks_path_dir(&arena, path)); // the last one leaves nothing
    ks_arena_free(&arena);
    free(found->path);
    free(found);
}

enum ks_status ks_dir_temp(struct ks_arena *arena, const char *stem, char **path,
                           struct ks_err *err)
{
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/')
        base = "/tmp";
    const char *common = ks_arena_printf(arena, "%s/ks-tmp-%lu", base, (unsigned long)geteuid());
    for (int tries = 0; tries < TRIES; tries++) {
        struct stat st;
        if (mkdir(common, 0700) != 0 && errno != EEXIST)
            return ks_err_errno(err, "cannot make a directory %s", common);
        if (lstat(common, &st) != 0)
            continue; // another process was the last to leave
        // Below /tmp others may have been here first: then without it, and nobody tidies up.
        bool in_common = is_private(&st);
        if (in_common && tries == 0)
            remove_abandoned(common);
        char *template = ks_arena_printf(arena, "%s/%s-XXXXXX", in_common ? common : base, stem);
        if (mkdtemp(template) == NULL) {
            if (errno == ENOENT)
                continue;
            return ks_err_errno(err, "cannot make a directory %s", template);
        }
        if (hold(template, in_common)) {
            *path = template;
            return KS_OK;
        }
        int saved = errno;
        (void)rmdir(template);
        errno = saved;
        if (errno != EAGAIN)
            return ks_err_errno(err, "cannot lock %s", template);
    }
    KS_FAIL(err, KS_E_IO, "cannot make a directory in %s", common);
}
