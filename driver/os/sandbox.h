// Confinement of a process and of all that it starts: Landlock decides on files, seccomp on system
// calls. Both are the kernel's own (Linux 5.13), need neither rights nor a package, hold in
// containers that know no user namespaces, and a process can enter by itself once what it needs is
// open. What is entered cannot be left.
//
// Inside: no network, no namespaces, no tracing, no change of owners or modes, no signals to
// processes outside where the kernel can tell (Landlock 6; before that, none at all), no way out of
// the group.
#ifndef KS_SANDBOX_H
#define KS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/status.h"

struct sock_filter;

// Lists end with NULL. A folder stands for all that is below it; what does not exist is passed
// over.
struct ks_sandbox_rules {
    const char *const *read;    // may be read, and started if `starts`
    const char *const *write;   // folders in which files are made, changed and removed
    const char *const *devices; // may be read, written and controlled
    const char *const *hidden;  // never readable, also where `read` names a folder above
    bool connects;              // Landlock leaves the network to the seal: a driver starts before it
    bool starts;                // processes may be started; else only threads, and no program
    int64_t max_file;           // bytes of one file, 0: no limit
    int64_t max_written;        // bytes below write[0], 0: no limit; looked at while it runs
    int max_processes;          // in its group, 0: no limit; likewise
};

struct ks_sandbox {
    int ruleset;                // descriptor
    struct sock_filter *filter; // in the arena that it was made with
    size_t n_filter;
    int64_t max_file, max_written;
    int max_processes;
    const char *written;
};

// Whether this machine can confine at all. false: `why` says what is missing.
bool ks_sandbox_supported(char why[256]);
// The kernel's version of Landlock, 0 where there is none.
int ks_sandbox_version(void);

// KS_E_UNSUPPORTED: what is missing. Paths are copied into the kernel's rules here.
enum ks_status ks_sandbox_make(struct ks_arena *arena, const struct ks_sandbox_rules *rules,
                               struct ks_sandbox *sandbox, struct ks_err *err);
void ks_sandbox_close(struct ks_sandbox *sandbox);

// Confines the calling thread, and what it starts from here on, to the files; then all threads of
// the process to the system calls. System calls alone are made here: fit for between fork and exec.
// False with errno. A process that is about to open a device calls the second once it is open.
bool ks_sandbox_fence(const struct ks_sandbox *sandbox);
bool ks_sandbox_seal(const struct ks_sandbox *sandbox);

// Folders and files of the system that programs need to start and to compile, none of them a
// user's.
extern const char *const ks_sandbox_system[];
// Whether what is confined needs this "NAME=value": what compilers and the CUDA driver read.
// Nothing else is handed in, since variables hold keys and passwords.
bool ks_sandbox_variable(const char *entry);

// What the process group `group` has taken too much of ("more than 128 processes"), or NULL. Scans
// /proc and the folder: about a millisecond.
const char *ks_sandbox_exceeded(const struct ks_sandbox *sandbox, pid_t group);

#endif
