// Starting, watching and ending one process group; shared by os/proc.c and os/child.c only.
#ifndef KS_SPAWN_H
#define KS_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "os/proc.h"

struct ks_spawn {
    const char *const *argv;
    const struct ks_proc_options *options;
    int in, out, err;     // descriptors for the child's 0, 1, 2; -1: inherit
    bool die_with_parent; // SIGTERM when the starting *thread* ends
    bool awaited;         // by os/rescue.c, should this process break down
};

// Opens /dev/null on each of 0, 1, 2 that is closed, so that no pipe made next gets such a number.
// `flags` may be O_CLOEXEC.
void ks_spawn_hold_stdio(int flags);
// The child leads a process group of its own, unless options->in_group. KS_E_CHILD if it cannot be
// started, exec included.
enum ks_status ks_spawn(const struct ks_spawn *spawn, pid_t *pid, struct ks_err *err);
// True once the child has ended; it stays a zombie, so its group's number cannot be reused yet.
bool ks_spawn_ended(pid_t pid);
// Waits for the end up to `seconds`; false if it still runs.
bool ks_spawn_wait(pid_t pid, double seconds);
void ks_held_begin(struct ks_held *held); // what cannot be kept back is inherited
// TERM to the group, KILL after `grace` seconds or once the leader has ended. Leaves a zombie.
void ks_spawn_kill(pid_t pid, double grace);
// Collects an ended child: its exit code (128+n for signal n) and the signal or 0. `awaited` as when it was started:
// others may end in any thread, and this process never ends as they did.
void ks_spawn_reap(pid_t pid, bool awaited, int *exit_code, int *signal);

#endif
