// Advisory locks on files (flock): released by the kernel when the holder dies.
#ifndef KS_LOCK_H
#define KS_LOCK_H

#include <stdbool.h>

#include "base/status.h"

struct ks_lock {
    int fd; // -1 when not held
};

// Creates the file (0666 & ~umask, kept afterwards) and takes it exclusively. Waits up to
// `wait_seconds` (0: one try; negative: for ever) in steps of 50 ms at most; KS_E_LIMIT when the
// time is over, KS_E_IO when the file system refuses locks. Interrupted by ks_stop_requested().
enum ks_status ks_lock_take(const char *path, double wait_seconds, struct ks_lock *lock,
                            struct ks_err *err);
// The same beside others that share it.
enum ks_status ks_lock_share(const char *path, double wait_seconds, struct ks_lock *lock,
                             struct ks_err *err);
void ks_lock_release(struct ks_lock *lock); // a lock not held is fine

#endif
