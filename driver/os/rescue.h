// The last resort of a program that stands for another: where it fails beyond repair (a fault,
// memory exhausted, an invariant broken), it becomes the other, or ends as the other has ended
// already.
#ifndef KS_RESCUE_H
#define KS_RESCUE_H

#include <sys/types.h>

// Catches SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and ks_fatal, on a stack of its own. Both are
// borrowed for the rest of the process. Does nothing in a sanitizer's build: it wants the faults.
// Says one line if KS_LOG is set.
void ks_rescue_arm(const char *path, const char *const *argv);
// From now on the answer is this status: the program it stands for has run.
void ks_rescue_settle(int exit_code);

// For os/ only: a child is running (0: none); `answers`: its status is the answer. A child is
// waited for first, so that two do not write the same files.
void ks_rescue_child(pid_t pid, int answers);

#endif
