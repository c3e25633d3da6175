// Makes one system call of a program fail, or a signal arrive at it: the program is traced (ptrace)
// from its entry point on, and so is each child of it until that becomes another program. All are left
// alone from there, and once the fault has happened. x86-64 Linux only.
#ifndef KS_FAULT_H
#define KS_FAULT_H

#include <stdbool.h>
#include <stddef.h>

enum fault_kind {
    FAULT_NONE,   // only counted
    FAULT_ERROR,  // the call is not made and fails; close(2) is made and fails
    FAULT_SHORT,  // a read or write of one byte
    FAULT_SIGNAL, // just before the call, to the process
    FAULT_GROUP,  // and to its process group
};

struct fault {
    const char *call;     // a name or a class of fault_calls; "any"
    long nth;             // from 1
    bool onwards;         // and every one after it
    enum fault_kind kind;
    int number;           // errno or signal
};

struct fault_program {
    const char *const *argv; // argv[0] is the path
    const char *stdout_path, *stderr_path; // truncated; NULL: inherited
    double seconds;          // then it is killed, and everything it started
};

struct fault_result {
    int status;      // as of waitpid
    bool hung;
    long met;        // calls of the class, until then
    bool injected;
    char where[200]; // the first call that met the fault
};

bool fault_known(const char *call);

// Runs it to its end, and waits for what it started. False: it cannot be traced here (errno).
bool fault_run(const struct fault_program *program, const struct fault *fault,
               struct fault_result *result);

#endif
