#include "os/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/rescue.h"
#include "os/sandbox.h"
#include "os/signals.h"

char *ks_proc_which(struct ks_arena *arena, const char *name, const char *skip)
{
    struct stat skipped, found;
    bool skips = skip != NULL && stat(skip, &skipped) == 0;
    const char *path = getenv("PATH");
    if (path == NULL)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (const char *at = path;; at++) {
        size_t len = strcspn(at, ":");
        char *dir = len == 0 ? ks_arena_strdup(arena, ".") : ks_arena_strndup(arena, at, len);
        char *file = ks_path_join(arena, dir, name);
        if (stat(file, &found) == 0 && S_ISREG(found.st_mode) && access(file, X_OK) == 0 &&
            !(skips && found.st_dev == skipped.st_dev && found.st_ino == skipped.st_ino))
            return file;
        at += len;
        if (*at == '\0')
            return NULL;
    }
}

struct child_plan {
    const struct ks_spawn *spawn;
    const char *path;
    int null_fd; // /dev/null for stdin, or -1
    sigset_t mask;
    bool default_sigpipe;
    pid_t parent;
    volatile int failure; // errno, written by the child: memory is shared until it execs
};

// Makes `fd` the child's `target`. dup2 of a descriptor onto itself would keep it close-on-exec.
static bool place(int fd, int target)
{
    if (fd < 0)
        return true;
    if (fd == target)
        return fcntl(fd, F_SETFD, 0) == 0;
    return dup2(fd, target) >= 0;
}

// Runs in the vforked child: only system calls, no writes but to plan->failure.
static _Noreturn void become(struct child_plan *plan)
{
    const struct ks_spawn *spawn = plan->spawn;
    const struct ks_proc_options *options = spawn->options;
    if (!options->in_group && setpgid(0, 0) != 0)
        goto failed;
    if (spawn->die_with_parent) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != plan->parent) // it ended before the prctl
            _exit(127);
    }
    if (!place(plan->null_fd >= 0 ? plan->null_fd : spawn->in, 0) || !place(spawn->out, 1) ||
        !place(spawn->err, 2) || (options->memory > 0 && !place(options->memory, KS_CHILD_MEMORY)))
        goto failed;
    if (options->cwd != NULL && chdir(options->cwd) != 0)
        goto failed;
    if (options->max_memory > 0) {
        struct rlimit limit = {(rlim_t)options->max_memory, (rlim_t)options->max_memory};
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            goto failed;
    }
    if (plan->default_sigpipe)
        signal(SIGPIPE, SIG_DFL);
    ks_signals_default(); // what the mask holds back must run no handler here
    sigprocmask(SIG_SETMASK, &plan->mask, NULL);
    if (options->sandbox != NULL &&
        (!ks_sandbox_fence(options->sandbox) || !ks_sandbox_seal(options->sandbox)))
        goto failed;
    execve(plan->path, (char *const *)spawn->argv,
           options->env != NULL ? (char *const *)options->env : environ);
failed:
    plan->failure = errno;
    _exit(127);
}

// Runs in the forked child, which goes on as this program does: its handlers stay.
static _Noreturn void branch(struct child_plan *plan)
{
    const struct ks_spawn *spawn = plan->spawn;
    if (spawn->die_with_parent) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != plan->parent)
            _exit(127);
    }
    if (!place(plan->null_fd >= 0 ? plan->null_fd : spawn->in, 0) || !place(spawn->out, 1) ||
        !place(spawn->err, 2))
        kill(getpid(), SIGKILL); // no status of what it was to run
    ks_rescue_child(0, 0);
    sigprocmask(SIG_SETMASK, &plan->mask, NULL);
    ks_exit_as_child(spawn->options->branch(spawn->options->context));
}

// Set once this process ignores SIGPIPE itself; an inherited disposition is passed on as it is.
static volatile bool ignores_sigpipe;

static void ignore_sigpipe_once(void)
{
    if (!ignores_sigpipe && signal(SIGPIPE, SIG_IGN) == SIG_DFL)
        ignores_sigpipe = true;
}

void ks_spawn_hold_stdio(int flags)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | flags) < 0)
            return; // no /dev/null: as good as it gets
}

enum ks_status ks_spawn(const struct ks_spawn *spawn, pid_t *pid, struct ks_err *err)
{
    const char *name = spawn->argv[0];
    struct ks_arena arena = {0};
    struct child_plan plan = {.spawn = spawn, .path = name, .null_fd = -1, .parent = getpid()};
    if (spawn->in >= 0) // somebody is going to write to the child
        ignore_sigpipe_once();
    plan.default_sigpipe = ignores_sigpipe;
    if (strchr(name, '/') == NULL && spawn->options->branch == NULL)
        plan.path = ks_proc_which(&arena, name, NULL);
    if (plan.path == NULL) {
        ks_arena_free(&arena);
        KS_FAIL(err, KS_E_CHILD, "cannot start %s: not found on PATH", name);
    }
    if (spawn->options->null_stdin &&
        (plan.null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) {
        ks_arena_free(&arena);
        return ks_err_errno(err, "cannot start %s: /dev/null", name);
    }

    // A parent that ignored SIGCHLD would make waiting for children impossible.
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
    // No handler of ours may run in the child while it shares our memory.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &plan.mask);
    bool branches = spawn->options->branch != NULL;
    if (branches)
        fflush(NULL); // or both would write what waits
    // A fork copies page tables: 0.1 ms and more in a large process.
    pid_t child = branches ? fork() : vfork();
    if (child == 0 && branches)
        branch(&plan);
    if (child == 0)
        become(&plan);
    int failure = child < 0 ? errno : plan.failure;
    if (failure == 0 && spawn->awaited)
        ks_rescue_child(child, spawn->options->in_group && !spawn->options->partial &&
                                   spawn->out < 0 && spawn->err < 0);
    pthread_sigmask(SIG_SETMASK, &plan.mask, NULL);

    if (plan.null_fd >= 0)
        close(plan.null_fd);
    ks_arena_free(&arena);
    if (failure != 0) {
        if (child > 0)
            waitpid(child, NULL, 0);
        char reason[128];
        const char *text = strerror_r(failure, reason, sizeof reason);
        if (spawn->options->cwd != NULL && !ks_is_dir(spawn->options->cwd))
            KS_FAIL(err, KS_E_CHILD, "cannot start %s in %s: %s", name, spawn->options->cwd, text);
        KS_FAIL(err, KS_E_CHILD, "cannot start %s: %s", name, text);
    }
    *pid = child;
    return KS_OK;
}

bool ks_spawn_ended(pid_t pid)
{
    siginfo_t info = {0};
    int rc;
    do
        rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
    while (rc != 0 && errno == EINTR);
    return rc != 0 || info.si_pid == pid;
}

bool ks_spawn_wait(pid_t pid, double seconds)
{
    double deadline = ks_now() + seconds;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0); // -1 before Linux 5.3: short sleeps instead
    while (!ks_spawn_ended(pid)) {
        double left = deadline - ks_now();
        if (left <= 0)
            break;
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        double most = fd >= 0 ? 0.1 : 0.005;
        poll(&poll_fd, fd >= 0, (int)((left < most ? left : most) * 1000) + 1);
    }
    if (fd >= 0)
        close(fd);
    return ks_spawn_ended(pid);
}

void ks_spawn_kill(pid_t pid, double grace)
{
    kill(-pid, SIGTERM);
    ks_spawn_wait(pid, grace);
    kill(-pid, SIGKILL); // also for members of the group that outlive their leader
    ks_spawn_wait(pid, 10);
}

void ks_spawn_reap(pid_t pid, bool awaited, int *exit_code, int *signal_number)
{
    int status = 0;
    pid_t got;
    siginfo_t info = {0};
    if (awaited && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == pid)
        ks_rescue_child_ended(info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status);
    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    *signal_number = got == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (awaited)
        ks_signals_child_end(*signal_number);
    if (got != pid)
        *exit_code = 255;
    else
        *exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

enum ks_status ks_proc_exec(const char *path, const char *const *argv, struct ks_err *err)
{
    if (ignores_sigpipe)
        signal(SIGPIPE, SIG_DFL);
    // What passes by itself is no reason to fail a build.
    static const double pauses[] = {0.01, 0.1, 0.5};
    execv(path, (char *const *)argv);
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        if (errno != EAGAIN && errno != ENOMEM && errno != ETXTBSY && errno != EINTR &&
            errno != EMFILE && errno != ENFILE && errno != EIO)
            break;
        ks_sleep(pauses[i]);
        execv(path, (char *const *)argv);
    }
    enum ks_status status = ks_err_errno(err, "cannot run %s", path);
    if (ignores_sigpipe)
        signal(SIGPIPE, SIG_IGN);
    return status;
}
