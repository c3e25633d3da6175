// The lock of a GPU: who measures on it, takes it alone.
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device.h"
#include "os/file.h"
#include "os/term.h"

#define COARSE_NS 10000000 // times of files lag behind the clock by a tick

const char *ks_device_lock_path(struct ks_arena *arena, const char *runtime_dir, const char *uuid)
{
    return ks_arena_printf(arena, "%s/%s.lock", runtime_dir, uuid);
}

enum ks_status ks_device_lock(struct ks_arena *arena, const char *runtime_dir, const char *uuid,
                              double wait_seconds, struct ks_lock *lock, struct ks_err *err)
{
    const char *path = ks_device_lock_path(arena, runtime_dir, uuid);
    lock->fd = -1;
    KS_TRY(ks_dir_make(runtime_dir, err));
    enum ks_status status = ks_lock_take(path, 0, lock, err);
    if (status == KS_E_LIMIT && wait_seconds != 0) {
        ks_progress("waiting", "ks: waiting for another measurement on this GPU to end (%s)", path);
        status = ks_lock_take(path, wait_seconds, lock, err);
        ks_progress_done();
    }
    if (status == KS_OK)
        futimens(lock->fd, NULL); // for ks_device_measured
    return status;
}

static bool held_or_used(int dir, const char *name, const struct timespec *since)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool held = flock(fd, LOCK_SH | LOCK_NB) != 0;
    bool used =
        fstat(fd, &st) == 0 &&
        (st.st_mtim.tv_sec > since->tv_sec ||
         (st.st_mtim.tv_sec == since->tv_sec && st.st_mtim.tv_nsec + COARSE_NS > since->tv_nsec));
    close(fd);
    return held || used;
}

bool ks_device_measured(const char *runtime_dir, const struct timespec *since)
{
    bool found = false;
    DIR *dir = opendir(runtime_dir);
    if (dir == NULL)
        return false;
    for (const struct dirent *entry; !found && (entry = readdir(dir)) != NULL;)
        if (ks_ends_with(entry->d_name, ".lock"))
            found = held_or_used(dirfd(dir), entry->d_name, since);
    closedir(dir);
    return found;
}
