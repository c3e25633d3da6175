// ks-fault: one fault in one program, for shell scripts.
//
//   ks-fault CALL:NTH[+]=WHAT PROGRAM [WORDS...]
//
// CALL is a system call or a class of them (fault.c); NTH counts from 1, with "+" it and all later
// ones; WHAT is an errno's name, SHORT, a signal's name (SIGKILL), or GROUP-SIGNAL for its whole group.
// Ends as the program does; 125 where nothing can be traced, 124 where it hung, 123 where the program
// made no such call.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"
#include "fault_names.h"

int main(int argc, char **argv)
{
    struct fault fault = {0};
    struct fault_result result;
    if (argc < 3 || !fault_parse(argv[1], &fault)) {
        fprintf(stderr, "usage: ks-fault CALL:NTH[+]=WHAT PROGRAM [WORDS...]\n");
        return 2;
    }
    struct fault_program program = {.argv = (const char *const *)argv + 2, .seconds = 60};
    if (!fault_run(&program, &fault, &result)) {
        fprintf(stderr, "ks-fault: cannot trace %s: %s\n", argv[2], strerror(errno));
        return 125;
    }
    if (result.hung)
        return 124;
    if (!result.injected)
        return 123;
    if (WIFSIGNALED(result.status)) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none); // its core is not to be overwritten
        signal(WTERMSIG(result.status), SIG_DFL);
        raise(WTERMSIG(result.status));
    }
    return WEXITSTATUS(result.status);
}
