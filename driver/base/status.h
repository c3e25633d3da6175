// Error reporting for every module: a status to branch on, and a sentence for the user.
//
// A function that can fail returns enum ks_status and takes `struct ks_err *err` as its last
// argument. On failure it fills *err (borrowed from the caller, never allocated); on success it
// leaves *err alone. `err` may be NULL where the caller only wants to know whether it worked.
// Nothing below main() exits the process.
#ifndef KS_STATUS_H
#define KS_STATUS_H

#include <stddef.h>

enum ks_status {
    KS_OK = 0,
    KS_E_USER,     // the user's text, file or option is wrong; err carries file:line and a next step
    KS_E_ABSENT,   // the thing asked for is not there (no file, no entry): often not an error at all
    KS_E_IO,       // the system refused: permissions, full disk, broken pipe
    KS_E_FORMAT,   // data of ours is damaged, or written by a newer version
    KS_E_TRUST,    // signature missing, wrong, or by a key nobody trusts
    KS_E_LIMIT,    // a bound of ours was reached: size, time, depth
    KS_E_CHILD,    // a child process failed, was killed or answered nonsense
    KS_E_DEVICE,   // the GPU or its driver: absent, lost, faulted
    KS_E_UNSUPPORTED, // understood, and beyond what this build or device can do
    KS_E_MEMORY,
    KS_E_INTERRUPTED, // ctrl-C or a request to stop
    KS_E_INTERNAL, // a bug here
};

#define KS_ERR_TEXT 1024

struct ks_err {
    enum ks_status status;
    char text[KS_ERR_TEXT]; // one line, no newline, "file:line: what; next step" where it applies
};

// Fills err (if not NULL) from a printf format and returns `status`.
enum ks_status ks_err_set(struct ks_err *err, enum ks_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// As ks_err_set, with ": <strerror(errno)>" appended and KS_E_IO (KS_E_ABSENT for ENOENT).
enum ks_status ks_err_errno(struct ks_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Puts context in front of an error already set: "<context>: <text>". Returns its status; with
// `err` NULL there is none to return, so pass on the status of the failed call instead.
enum ks_status ks_err_prefix(struct ks_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Short lower-case name of a status ("absent", "io", ...), for logs and JSON. Static storage.
const char *ks_status_name(enum ks_status status);

// KS_FAIL(err, KS_E_USER, "...", ...) leaves the function; KS_TRY(call) forwards a failure.
// KS_TRY_GOTO stores the failure in a local `status` and jumps to the one cleanup label.
#define KS_FAIL(err, ...) return ks_err_set((err), __VA_ARGS__)
#define KS_TRY(call)                                                                              \
    do {                                                                                          \
        enum ks_status ks_try_status_ = (call);                                                   \
        if (ks_try_status_ != KS_OK)                                                              \
            return ks_try_status_;                                                                \
    } while (0)
#define KS_TRY_GOTO(call, label)                                                                  \
    do {                                                                                          \
        status = (call);                                                                          \
        if (status != KS_OK)                                                                      \
            goto label;                                                                           \
    } while (0)

// The end of what cannot go on: prints the line and aborts, unless a hook, which does not return, was
// set to do otherwise.
_Noreturn void ks_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ks_on_fatal(void (*hook)(const char *text));

// Invariants of ours, never input: stays on in release builds; tells place and expression, ks_fatal.
#define KS_ASSERT(cond) ((cond) ? (void)0 : ks_assert_failed(#cond, __FILE__, __LINE__))
_Noreturn void ks_assert_failed(const char *expression, const char *file, int line);

#endif
