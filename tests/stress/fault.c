#include "fault.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// struct ptrace_syscall_info of the kernel, under whose name headers disagree.
struct call_info {
    uint8_t op, pad[3];
    uint32_t arch;
    uint64_t instruction_pointer, stack_pointer;
    uint64_t number, args[6];
};
#define GET_CALL_INFO 0x420e
#define CALL_ENTRY 1
#define CALL_EXIT 2

struct call {
    const char *name;
    long number;
    const char *classes; // words
    int path;            // which argument is one, -1: none
};

// Classes: "disk" uses room on a disk, "open" a descriptor, "memory" memory, "write" changes a file
// system, "io" may meet an error of a disk.
static const struct call calls[] = {
    {"openat", SYS_openat, "io", 1},
    {"open", SYS_open, "io", 0},
    {"read", SYS_read, "io", -1},
    {"pread64", SYS_pread64, "", -1}, // of files in memory
    {"write", SYS_write, "io disk", -1},
    {"pwrite64", SYS_pwrite64, "io disk write", -1},
    {"close", SYS_close, "io", -1},
    {"fstat", SYS_fstat, "io stat", -1},
    {"stat", SYS_stat, "io", 0},
    {"lstat", SYS_lstat, "io stat", 0},
    {"newfstatat", SYS_newfstatat, "io stat", 1},
    {"statx", SYS_statx, "io stat", 1},
    {"access", SYS_access, "io", 0},
    {"faccessat2", SYS_faccessat2, "io access", 1},
    {"getdents64", SYS_getdents64, "io", -1},
    {"readlink", SYS_readlink, "io", 0},
    {"readlinkat", SYS_readlinkat, "io readlink", 1},
    {"getcwd", SYS_getcwd, "io", -1},
    {"lseek", SYS_lseek, "io", -1},
    {"mkdir", SYS_mkdir, "io disk", 0},
    {"rmdir", SYS_rmdir, "io unlink", 0},
    {"rename", SYS_rename, "io disk", 1},
    {"unlink", SYS_unlink, "io", 0},
    {"unlinkat", SYS_unlinkat, "io unlink", 1},
    {"linkat", SYS_linkat, "io disk", 3},
    {"symlink", SYS_symlink, "io disk", 1},
    {"fsync", SYS_fsync, "io disk", -1},
    {"fchmod", SYS_fchmod, "io", -1},
    {"ftruncate", SYS_ftruncate, "io disk", -1},
    {"utimensat", SYS_utimensat, "io", 1},
    {"statfs", SYS_statfs, "io", 0},
    {"fstatfs", SYS_fstatfs, "io statfs", -1},
    {"flock", SYS_flock, "", -1},
    {"fcntl", SYS_fcntl, "", -1},
    {"pipe2", SYS_pipe2, "open", -1},
    {"dup2", SYS_dup2, "", -1},
    {"mmap", SYS_mmap, "memory", -1},
    {"brk", SYS_brk, "memory", -1},
    {"mremap", SYS_mremap, "memory", -1},
    {"vfork", SYS_vfork, "fork", -1},
    {"clone", SYS_clone, "fork", -1},
    {"clone3", SYS_clone3, "fork", -1},
    {"execve", SYS_execve, "", 0},
    {"wait4", SYS_wait4, "wait", -1},
    {"waitid", SYS_waitid, "wait", -1},
    {"poll", SYS_poll, "wait", -1},
    {"pidfd_open", SYS_pidfd_open, "open", -1},
    {"setpgid", SYS_setpgid, "", -1},
    {"prctl", SYS_prctl, "", -1},
    {"rt_sigaction", SYS_rt_sigaction, "", -1},
    {"sigaltstack", SYS_sigaltstack, "", -1},
    {"nanosleep", SYS_clock_nanosleep, "", -1},
    {"uname", SYS_uname, "", -1},
    {"getrandom", SYS_getrandom, "", -1},
};
#define N_CALLS (sizeof calls / sizeof *calls)

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
            return true;
    return false;
}

static const struct call *find_call(uint64_t number)
{
    for (size_t i = 0; i < N_CALLS; i++)
        if ((uint64_t)calls[i].number == number)
            return &calls[i];
    return NULL;
}

bool fault_known(const char *name)
{
    if (strcmp(name, "any") == 0 || strcmp(name, "own") == 0 || strcmp(name, "create") == 0 || strcmp(name, "tmpfile") == 0)
        return true;
    for (size_t i = 0; i < N_CALLS; i++)
        if (strcmp(calls[i].name, name) == 0 || has_word(calls[i].classes, name))
            return true;
    return false;
}

static bool belongs(const struct call_info *info, const char *name)
{
    const struct call *call = find_call(info->number);
    bool is_print = call != NULL && (call->number == SYS_pread64 ||
                                     (call->number == SYS_write && info->args[0] <= 2));
    if (strcmp(name, "any") == 0)
        return true;
    // Where a program may break down: not as it hands on what a child printed, nor as it becomes another.
    if (strcmp(name, "own") == 0)
        return call == NULL || (!is_print && call->number != SYS_execve);
    if (call == NULL)
        return false;
    uint64_t flags = call->number == SYS_openat ? info->args[2] : 0;
    if (strcmp(name, "tmpfile") == 0)
        return (flags & O_TMPFILE) == O_TMPFILE;
    if (strcmp(name, "create") == 0 || strcmp(name, "disk") == 0)
        if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)
            return true;
    // The program's own standard output and error are nobody's disk.
    if ((call->number == SYS_write && info->args[0] <= 2) && strcmp(name, "write") != 0)
        return false;
    if (strcmp(name, "open") == 0 && call->number == SYS_openat)
        return true;
    return strcmp(call->name, name) == 0 || has_word(call->classes, name);
}

struct tracee {
    pid_t pid;
    bool inside;   // between entry and exit of a call
    bool override; // the call's result
    int error;
};

struct trace {
    const struct fault *fault;
    struct fault_result *result;
    pid_t main;
    bool done; // nothing is left to be seen to
    struct tracee tracees[32];
    size_t n;
};

static struct tracee *find(struct trace *trace, pid_t pid)
{
    for (size_t i = 0; i < trace->n; i++)
        if (trace->tracees[i].pid == pid)
            return &trace->tracees[i];
    if (trace->n == sizeof trace->tracees / sizeof *trace->tracees)
        abort();
    trace->tracees[trace->n] = (struct tracee){.pid = pid};
    return &trace->tracees[trace->n++];
}

static void forget(struct trace *trace, pid_t pid)
{
    for (size_t i = 0; i < trace->n; i++)
        if (trace->tracees[i].pid == pid)
            trace->tracees[i] = trace->tracees[--trace->n];
}

static void peek_text(pid_t pid, uint64_t at, char *text, size_t size)
{
    size_t n = 0;
    while (n + 1 < size) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKDATA, pid, at + n, NULL);
        if (errno != 0)
            break;
        for (size_t i = 0; i < sizeof word && n + 1 < size; i++) {
            text[n] = ((const char *)&word)[i];
            if (text[n] == '\0')
                return;
            n++;
        }
    }
    text[n] = '\0';
}

static void note_where(struct trace *trace, pid_t pid, const struct call_info *info)
{
    const struct call *call = find_call(info->number);
    char path[120] = "";
    if (call != NULL && call->path >= 0)
        peek_text(pid, info->args[call->path], path, sizeof path);
    if (call == NULL)
        snprintf(trace->result->where, sizeof trace->result->where, "call %llu",
                 (unsigned long long)info->number);
    else
        snprintf(trace->result->where, sizeof trace->result->where, "%s %s%s", call->name, path,
                 pid == trace->main ? "" : " in a child");
}

static void poke(pid_t pid, size_t offset, uint64_t value)
{
    ptrace(PTRACE_POKEUSER, pid, offset, value);
}

static void inject(struct trace *trace, struct tracee *tracee,
                   const struct call_info *info)
{
    const struct fault *fault = trace->fault;
    if (!trace->result->injected)
        note_where(trace, tracee->pid, info);
    trace->result->injected = true;
    trace->done = !fault->onwards;
    switch (fault->kind) {
    case FAULT_NONE:
        break;
    case FAULT_ERROR:
        tracee->override = true;
        tracee->error = fault->number;
        if (info->number != SYS_close)
            poke(tracee->pid, offsetof(struct user, regs.orig_rax), (uint64_t)-1);
        break;
    case FAULT_SHORT:
        if (info->args[2] > 1)
            poke(tracee->pid, offsetof(struct user, regs.rdx), 1);
        break;
    case FAULT_SIGNAL:
        kill(tracee->pid, fault->number);
        break;
    case FAULT_GROUP:
        kill(-trace->main, fault->number);
        break;
    }
}

static void at_call(struct trace *trace, struct tracee *tracee)
{
    struct call_info info;
    if (ptrace(GET_CALL_INFO, tracee->pid, sizeof info, &info) <= 0)
        return;
    if (info.op == CALL_EXIT) {
        if (tracee->override)
            poke(tracee->pid, offsetof(struct user, regs.rax), (uint64_t)-tracee->error);
        tracee->override = false;
        return;
    }
    const struct fault *fault = trace->fault;
    if (info.op != CALL_ENTRY || !belongs(&info, fault->call) ||
        (tracee->pid != trace->main && strcmp(fault->call, "own") == 0))
        return;
    long n = ++trace->result->met;
    if (fault->kind != FAULT_NONE && (n == fault->nth || (fault->onwards && n > fault->nth)))
        inject(trace, tracee, &info);
}

static bool entry_point(pid_t pid, uint64_t *entry)
{
    char path[64];
    Elf64_auxv_t pair;
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    FILE *in = fopen(path, "re");
    bool found = false;
    while (in != NULL && !found && fread(&pair, sizeof pair, 1, in) == 1)
        found = pair.a_type == AT_ENTRY;
    if (in != NULL)
        fclose(in);
    *entry = pair.a_un.a_val;
    return found;
}

// Lets the loader do its work: what fails there fails before the program is anybody's.
static bool run_to_entry(pid_t pid)
{
    uint64_t entry;
    int status;
    if (!entry_point(pid, &entry))
        return false;
    errno = 0;
    long saved = ptrace(PTRACE_PEEKTEXT, pid, entry, NULL);
    if (errno != 0 || ptrace(PTRACE_POKETEXT, pid, entry, (saved & ~0xffL) | 0xcc) != 0 ||
        ptrace(PTRACE_CONT, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid ||
        !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
        return false;
    poke(pid, offsetof(struct user, regs.rip), entry);
    return ptrace(PTRACE_POKETEXT, pid, entry, saved) == 0;
}

static bool start(const struct fault_program *program, pid_t *pid)
{
    int status;
    *pid = fork();
    if (*pid == 0) {
        int out = program->stdout_path == NULL
                      ? -1
                      : open(program->stdout_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
        int err = program->stderr_path == NULL
                      ? -1
                      : open(program->stderr_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
        setpgid(0, 0);
        if ((out >= 0 && dup2(out, 1) < 0) || (err >= 0 && dup2(err, 2) < 0))
            _exit(126);
        if (out > 2)
            close(out);
        if (err > 2)
            close(err);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(125);
        raise(SIGSTOP);
        execv(program->argv[0], (char *const *)program->argv);
        _exit(127);
    }
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    return *pid > 0 && waitpid(*pid, &status, 0) == *pid && WIFSTOPPED(status) &&
           ptrace(PTRACE_SETOPTIONS, *pid, NULL, options) == 0 &&
           ptrace(PTRACE_CONT, *pid, NULL, NULL) == 0 && waitpid(*pid, &status, 0) == *pid &&
           WIFSTOPPED(status) && run_to_entry(*pid);
}

// One stop or end of one of them.
static void handle(struct trace *trace, pid_t pid, int status)
{
    if (!WIFSTOPPED(status)) {
        forget(trace, pid);
        if (pid == trace->main)
            trace->result->status = status;
        return;
    }
    int number = WSTOPSIG(status), event = status >> 16;
    struct tracee *tracee = find(trace, pid);
    bool is_new = !tracee->inside && number == SIGSTOP;
    if (number == (SIGTRAP | 0x80))
        at_call(trace, tracee);
    tracee->inside = true;
    if (number == (SIGTRAP | 0x80) || event != 0 || is_new)
        number = 0;
    if (event == PTRACE_EVENT_EXEC || (trace->done && !tracee->override)) {
        forget(trace, pid);
        ptrace(PTRACE_DETACH, pid, NULL, number);
    } else
        ptrace(PTRACE_SYSCALL, pid, NULL, number);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static volatile sig_atomic_t alarmed;

static void on_alarm(int number)
{
    (void)number;
    alarmed = 1;
}

bool fault_run(const struct fault_program *program, const struct fault *fault,
               struct fault_result *result)
{
    *result = (struct fault_result){0};
    struct trace trace = {.fault = fault, .result = result};
    prctl(PR_SET_CHILD_SUBREAPER, 1); // what it leaves running is waited for too
    if (!start(program, &trace.main)) {
        int saved = errno;
        if (trace.main > 0)
            kill(trace.main, SIGKILL);
        while (waitpid(-1, NULL, __WALL) > 0)
            ;
        errno = saved;
        return false;
    }
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL); // no SA_RESTART: waitpid is to return
    find(&trace, trace.main)->inside = true;
    ptrace(PTRACE_SYSCALL, trace.main, NULL, NULL);
    double deadline = now() + program->seconds;
    for (;;) {
        int status;
        double left = deadline - now();
        alarmed = 0;
        alarm(left < 1 ? 1 : (unsigned)left + 1);
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid > 0)
            handle(&trace, pid, status);
        else if (errno == ECHILD)
            break;
        if (now() > deadline && !result->hung) {
            result->hung = true;
            kill(-trace.main, SIGKILL);
        }
    }
    alarm(0);
    return true;
}
