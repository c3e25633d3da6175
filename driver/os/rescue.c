// Everything below rescue() is async-signal-safe: the heap may be what broke.
#include "os/rescue.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"

#define EXIT_CANNOT_RUN 110
#define EXIT_REFUSED 1

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static struct {
    const char *path; // NULL: `find` will tell
    const char *(*find)(void);
    char **argv;
    const char *own; // words of argv that begin so are left out
    bool speaks;
    pid_t owner; // a child that shares our memory is not to become anything
    volatile pid_t child;
    volatile int child_answers;
    volatile int settled; // exit code + 1
    bool refuses;
    const char *object;
} plan;

static void become(void)
{
    const char *path = plan.path != NULL ? plan.path : plan.find();
    if (path == NULL)
        return;
    if (plan.own != NULL) {
        char **to = plan.argv + 1, **from = to;
        for (; plan.argv[0] != NULL && *from != NULL; from++)
            if (strncmp(*from, plan.own, strlen(plan.own)) != 0)
                *to++ = *from;
        *to = NULL;
        plan.argv[0] = (char *)path;
    }
    execve(path, plan.argv, environ);
}

static _Noreturn void rescue(void)
{
    // A fault in here ends the process.
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    // A child that we read from would wait for us.
    (void)syscall(SYS_close_range, 3u, ~0u, 0u);
    int status;
    pid_t child = plan.child, got = -1;
    while (child > 0 && (got = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    struct stat st;
    if (plan.refuses && plan.object != NULL && lstat(plan.object, &st) == 0 && S_ISREG(st.st_mode))
        (void)unlink(plan.object);
    if (plan.settled != 0)
        _exit(plan.settled - 1);
    if (got > 0 && plan.child_answers)
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    become();
    _exit(EXIT_CANNOT_RUN);
}

static void say(const char *text)
{
    if ((plan.speaks || plan.refuses) && write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

static void on_fault(int number)
{
    if (getpid() != plan.owner) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    char text[] = "ks-nvcc: error: broke down by signal 00";
    char *digits = strchr(text, '0');
    digits[0] = (char)('0' + number / 10);
    digits[1] = (char)('0' + number % 10);
    say(text);
    say(plan.refuses ? "; strict: nothing is compiled\n" : "; left to nvcc\n");
    rescue();
}

static void on_fatal(const char *text)
{
    if (plan.speaks || plan.refuses)
        ks_error("%s; %s", text, plan.refuses ? "strict: nothing is compiled" : "left to nvcc");
    rescue();
}

static void catch_faults(void)
{
    static char stack[64 * 1024]; // of its own: the usual one may be what overflowed
    static const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const char *log = getenv("KS_LOG");
    plan.owner = getpid();
    plan.speaks = log != NULL && log[0] != '\0';
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&other, NULL) != 0)
        action.sa_flags &= ~SA_ONSTACK;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &action, NULL);
    ks_on_fatal(on_fatal);
}

void ks_rescue_prepare(const char *(*find)(void), char **argv, const char *own)
{
    plan.find = find;
    plan.argv = argv;
    plan.own = own;
    if (!KS_SANITIZED)
        catch_faults();
}

void ks_rescue_arm(const char *path, const char *const *argv)
{
    plan.own = NULL;
    plan.argv = (char **)argv;
    plan.path = path;
    if (!KS_SANITIZED)
        catch_faults();
}

void ks_rescue_settle(int exit_code)
{
    if (!plan.refuses)
        plan.settled = exit_code + 1;
}

void ks_rescue_refuse(const char *object)
{
    plan.refuses = true;
    plan.object = object;
    plan.settled = EXIT_REFUSED + 1;
}

void ks_rescue_child_ended(int exit_code)
{
    if (plan.child_answers && plan.settled == 0)
        plan.settled = exit_code + 1;
    plan.child = 0;
}

void ks_rescue_child(pid_t pid, int answers)
{
    plan.child_answers = answers;
    plan.child = pid;
}
