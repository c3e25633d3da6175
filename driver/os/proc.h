// Child processes: argument arrays, own process group, deadline, byte-capped output; never a shell.
#ifndef KS_PROC_H
#define KS_PROC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct ks_sandbox;

struct ks_proc_options {
    const char *cwd;          // NULL: inherit
    const char *const *env;   // NULL: inherit; else NULL-terminated "NAME=value" list, complete
    double timeout_seconds;   // 0: none; then TERM, 1 s later KILL, to the whole group
    size_t max_output;        // cap of each captured stream (0: 16 MiB); more is read and dropped
    bool capture_stdout;      // else inherited
    bool capture_stderr;
    bool null_stdin;          // /dev/null instead of inherited
    // For a compiler run in a compiler's place: it stays in this process's group, where the terminal's
    // signals reach it by themselves; other requests to stop are handed on, and its end is awaited. No timeout.
    bool in_group;
    // What is not captured is kept back until it is known whether this run counts. A stream that is a
    // terminal is inherited all the same: what the child writes there depends on that.
    bool hold;
    int64_t max_memory;       // RLIMIT_AS in bytes, 0: none
    const struct ks_sandbox *sandbox; // it and all that it starts are confined (os/sandbox.h); NULL: not
    // A copy of this process runs it in place of argv, of which argv[0] is but the name for messages,
    // and ends with what it returns. cwd, env, max_memory and sandbox do not apply.
    int (*branch)(void *context);
    void *context;
    bool partial;             // its status answers for a part of what was asked alone (os/rescue.h)
    int memory;               // a file that the child gets as KS_CHILD_MEMORY; 0: none
};
#define KS_CHILD_MEMORY 3

struct ks_held {
    int fds[2]; // of files in memory, for stdout and stderr; equal: they go to one place; 0: not held
};

struct ks_proc_result {
    int exit_code;   // 0..255; 128+n when killed by signal n
    int signal;      // 0 if it exited
    bool timed_out;
    const char *exceeded; // what it took too much of in its sandbox, so that it was killed; or NULL
    double seconds;  // wall clock
    struct ks_slice out, err; // in the arena; empty unless captured
    struct ks_held held;      // for ks_held_pass or ks_held_drop, if options->hold
};

// Runs argv (argv[0] a path, or a name looked up on PATH) to its end. KS_E_CHILD if it could not be
// started, timed out or exceeded a limit of its sandbox; KS_E_INTERRUPTED after a stop request; a non-zero exit is KS_OK with
// exit_code set, and so is the end of a child `in_group` that was asked to stop. The child gets
// SIGTERM should the calling thread die. `options` may be NULL.
enum ks_status ks_proc_run(struct ks_arena *arena, const char *const *argv,
                           const struct ks_proc_options *options, struct ks_proc_result *result,
                           struct ks_err *err);

bool ks_held_says(const struct ks_held *held, const char *word);
void ks_held_pass(struct ks_held *held); // to our own streams
void ks_held_drop(struct ks_held *held); // nothing held is fine, here and there

// A long-lived child that speaks lines on stdin/stdout. stderr is inherited, or goes to /dev/null
// where options->capture_stderr is set; the timeout, output cap and null_stdin do not apply.
struct ks_child {
    pid_t pid;  // 0: not running
    int to, from;
    struct ks_buf pending; // private: the line handed out last, and bytes read past it
    size_t taken;          // private: length of that line with its newline
    double write_timeout;  // seconds that one ks_child_write may block; 0: none. Set after the start.
    const atomic_bool *dropped; // set by another thread: what is waited for ends like after a stop request. Likewise.
};
enum ks_status ks_child_start(const char *const *argv, const struct ks_proc_options *options,
                              struct ks_child *child, struct ks_err *err);
// Writes all parts, together as far as the system takes them: each write wakes the child. KS_E_LIMIT when the
// child takes longer than write_timeout; KS_E_CHILD if the child is gone (ks_child_start makes this
// process ignore SIGPIPE; the programs it starts still get the default).
enum ks_status ks_child_write(struct ks_child *child, const struct ks_slice *parts, size_t n,
                              struct ks_err *err);
// One line without its newline, terminated, valid until the next call; KS_E_CHILD at end of stream,
// KS_E_LIMIT when the deadline passes (0: none) or the line exceeds `max` bytes.
enum ks_status ks_child_read_line(struct ks_child *child, double timeout_seconds, size_t max,
                                  struct ks_slice *line, struct ks_err *err);
// Exactly n raw bytes, those that follow the line read last; failures as for a line.
enum ks_status ks_child_read_bytes(struct ks_child *child, double timeout_seconds, void *data,
                                   size_t n, struct ks_err *err);
// Closes the pipes, waits `grace_seconds`, then kills the process group. Idempotent.
void ks_child_stop(struct ks_child *child, double grace_seconds, int *exit_code);

// Replaces this process; returns only on failure.
enum ks_status ks_proc_exec(const char *path, const char *const *argv, struct ks_err *err);

// Finds an executable on PATH; `skip` (may be NULL) names a file to pass over, by device and inode.
char *ks_proc_which(struct ks_arena *arena, const char *name, const char *skip);

// After ks_stop_on_signals(), SIGINT and SIGTERM set a flag that waits above look at; children
// started here are then ended. A second signal ends the process at once.
void ks_stop_on_signals(void);
bool ks_stop_requested(void);
// From that moment of ks_now_own() on the same is asked for, until another is set; 0: never. What was ended by it alone
// (ks_stop_expired) may go on with other things after the next ks_stop_at.
void ks_stop_at(double when);
bool ks_stop_expired(void);

// For a program in a compiler's place, once, before anything is opened: closed standard streams are
// held (and closed again for what it starts), so that no file of ours gets their numbers; SIGPIPE and
// SIGXFSZ become errors of write(2); SIGINT, SIGQUIT, SIGTERM and SIGHUP set the flag above. What is
// ignored stays ignored. Children and programs executed get all of it as it was.
void ks_stand_in(void);
// Ends this process with `status`, or as the last child did if a signal ended that and `status` says
// so (128+n).
_Noreturn void ks_exit_as_child(int status);
_Noreturn void ks_exit_stopped(void); // as the request to stop, uncaught, would have ended it

#endif
