// The lock of a GPU: who measures on it, takes it alone; who runs something there that is not timed, shares it. Who wants it
// alone stands at a turnstile meanwhile, past which nobody comes who would share it: else those might take turns for ever.
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/term.h"

#define COARSE_NS 10000000 // times of files lag behind the clock by a tick

const char *ks_device_lock_path(struct ks_arena *arena, const char *runtime_dir, const char *uuid)
{
    return ks_arena_printf(arena, "%s/%s.lock", runtime_dir, uuid);
}

typedef enum ks_status taking(const char *path, double wait_seconds, struct ks_lock *lock, struct ks_err *err);

static enum ks_status pass(struct ks_arena *arena, const char *runtime_dir, const char *uuid, taking *take,
                           double wait_seconds, struct ks_lock *lock, struct ks_err *err)
{
    const char *path = ks_device_lock_path(arena, runtime_dir, uuid);
    struct ks_lock turnstile;
    lock->fd = -1;
    KS_TRY(ks_dir_make(runtime_dir, err));
    KS_TRY(take(ks_arena_printf(arena, "%s/%s.turnstile", runtime_dir, uuid), wait_seconds, &turnstile, err));
    enum ks_status status = take(path, wait_seconds, lock, err);
    ks_lock_release(&turnstile);
    return status;
}

static enum ks_status pass_in_time(struct ks_arena *arena, const char *runtime_dir, const char *uuid, taking *take,
                           double wait_seconds, struct ks_lock *lock, struct ks_err *err)
{
    enum ks_status status = pass(arena, runtime_dir, uuid, take, 0, lock, err);
    if (status != KS_E_LIMIT || wait_seconds == 0)
        return status;
    ks_progress("waiting", "ks: waiting for another measurement on this GPU to end (%s)",
                ks_device_lock_path(arena, runtime_dir, uuid));
    ks_wait_begins();
    status = pass(arena, runtime_dir, uuid, take, wait_seconds, lock, err);
    ks_wait_ends();
    ks_progress_done();
    return status;
}

enum ks_status ks_device_lock(struct ks_arena *arena, const char *runtime_dir, const char *uuid,
                              double wait_seconds, struct ks_lock *lock, struct ks_err *err)
{
    KS_TRY(pass_in_time(arena, runtime_dir, uuid, ks_lock_take, wait_seconds, lock, err));
    futimens(lock->fd, NULL); // for ks_device_measured
    return KS_OK;
}

enum ks_status ks_device_share(struct ks_arena *arena, const char *runtime_dir, const char *uuid,
                               double wait_seconds, struct ks_lock *lock, struct ks_err *err)
{
    return pass_in_time(arena, runtime_dir, uuid, ks_lock_share, wait_seconds, lock, err);
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
