#include "os/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/proc.h"

static enum ks_status take(const char *path, int how, double wait_seconds, struct ks_lock *lock,
                           struct ks_err *err)
{
    lock->fd = -1;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return ks_err_errno(err, "cannot open lock %s", path);
    double started = ks_now(), pause = 0.001;
    while (flock(fd, how | LOCK_NB) != 0) {
        enum ks_status status = KS_OK;
        double left = wait_seconds < 0 ? 1 : wait_seconds - (ks_now() - started);
        if (errno != EWOULDBLOCK && errno != EINTR)
            status = ks_err_errno(err, "%s: the file system refuses locks", path);
        else if (ks_stop_requested())
            status = ks_err_set(err, KS_E_INTERRUPTED, "interrupted while waiting for %s", path);
        else if (left <= 0)
            status = ks_err_set(err, KS_E_LIMIT, "%s is held by another process", path);
        if (status != KS_OK) {
            close(fd);
            return status;
        }
        ks_sleep(pause < left ? pause : left);
        pause = pause * 2 < 0.05 ? pause * 2 : 0.05;
    }
    lock->fd = fd;
    return KS_OK;
}

enum ks_status ks_lock_take(const char *path, double wait_seconds, struct ks_lock *lock,
                            struct ks_err *err)
{
    return take(path, LOCK_EX, wait_seconds, lock, err);
}

enum ks_status ks_lock_share(const char *path, double wait_seconds, struct ks_lock *lock,
                             struct ks_err *err)
{
    return take(path, LOCK_SH, wait_seconds, lock, err);
}

void ks_lock_release(struct ks_lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}
