// The last resort of a program that stands for another: where it fails beyond repair (a fault,
// memory exhausted, an invariant broken), it becomes the other, or ends as the other has ended
// already.
#ifndef KS_RESCUE_H
#define KS_RESCUE_H

#include <sys/types.h>

// Catches SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and ks_fatal, on a stack of its own. What it is given
// is borrowed for the rest of the process. Does nothing in a sanitizer's build: it wants the faults.
// Says one line if KS_LOG is set.
//
// At first nothing is known: `find` will name the program, or return NULL, without asking for memory;
// it gets the words of `argv` that do not begin with `own`.
void ks_rescue_prepare(const char *(*find)(void), char **argv, const char *own);
// Then `path` with `argv`.
void ks_rescue_arm(const char *path, const char *const *argv);
// From now on the answer is this status: the program it stands for has run.
void ks_rescue_settle(int exit_code);
// From now on it is a refusal: one line is said, `object` (a regular file; NULL: none) is removed.
void ks_rescue_refuse(const char *object);

// For os/ only: a child is running (0: none); `answers`: its status is the answer. A child is
// waited for first, so that two do not write the same files.
void ks_rescue_child(pid_t pid, int answers);
void ks_rescue_child_ended(int exit_code); // about to be collected

#endif
