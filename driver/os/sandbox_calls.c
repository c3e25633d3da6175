#include "os/sandbox_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/status.h"
#include "os/sandbox.h"

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0
#endif

// A list of what is refused, not of what may be: the CUDA driver is no text of ours, and what it
// calls changes with its versions. Files are Landlock's; here stands what Landlock does not see.
static const int refused[] = {
    // other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_setsid,
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    // network, and what makes calls that no filter sees
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    // files by other means than opening them
    SYS_truncate,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_utimensat,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
#ifdef SYS_chmod
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_uselib,
    SYS_iopl,
    SYS_ioperm,
#endif
    452 /* fchmodat2 */,
    463 /* setxattrat */,
    466 /* removexattrat */,
    // mounts and namespaces
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_setns,
    SYS_unshare,
    // the kernel itself, which a process of root could reach
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
};
// Where Landlock does not tell whose process a signal is for.
static const int signals[] = {SYS_kill,
                              SYS_tkill,
                              SYS_tgkill,
                              SYS_rt_sigqueueinfo,
                              SYS_rt_tgsigqueueinfo,
                              SYS_pidfd_send_signal};
static const int starting[] = {
    SYS_execve,
    SYS_execveat,
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST 400

bool ks_sandbox_calls_supported(char why[256])
{
    unsigned action = SECCOMP_RET_ERRNO;
    if (ARCH == 0) {
        snprintf(why, 256, "the system calls of this processor are not known here");
        return false;
    }
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
        return true;
    snprintf(why, 256,
             "this kernel has no seccomp filters, or this container does not let its processes "
             "use them");
    return false;
}

struct program {
    struct sock_filter *at;
    size_t n;
};

static void put(struct program *p, unsigned code, unsigned k, unsigned yes, unsigned no)
{
    KS_ASSERT(p->n < MOST);
    p->at[p->n++] =
        (struct sock_filter){(unsigned short)code, (unsigned char)yes, (unsigned char)no, k};
}

static void load(struct program *p, size_t offset)
{
    put(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}
static void give(struct program *p, unsigned result)
{
    put(p, BPF_RET | BPF_K, result, 0, 0);
}
#define ANSWER(error) (SECCOMP_RET_ERRNO | (error))
#define NUMBER offsetof(struct seccomp_data, nr)
// The low half of an argument; both processors are little endian.
#define ARG(i) (offsetof(struct seccomp_data, args) + 8 * (i))

static void refuse(struct program *p, int number, unsigned error)
{
    put(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    give(p, ANSWER(error));
}

static void refuse_all(struct program *p, const int *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        refuse(p, numbers[i], EPERM);
}

// Threads, and processes where they may be started, but nothing in a namespace of its own.
static void clones(struct program *p, bool starts)
{
    const unsigned apart = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                           CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    // Its flags lie in memory, which a filter cannot read; libc then falls back to clone.
    refuse(p, SYS_clone3, ENOSYS);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 5);
    load(p, ARG(0));
    put(p, BPF_JMP | BPF_JSET | BPF_K, apart, 1, 0);
    put(p, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, starts ? 1 : 0);
    give(p, ANSWER(EPERM));
    give(p, SECCOMP_RET_ALLOW);
}

// Limits that were set stay; the stack's is nobody's business (gcc and ptxas raise their own).
static void limits(struct program *p)
{
    put(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 11);
    load(p, ARG(0));
    put(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 7); // of another process
    load(p, ARG(2));
    put(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2); // only asked for
    load(p, ARG(2) + 4);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0);
    load(p, ARG(1));
    put(p, BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_STACK, 2, 0);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_CPU, 1, 0);
    give(p, ANSWER(EPERM));
    give(p, SECCOMP_RET_ALLOW);
    refuse(p, SYS_setrlimit, EPERM);
}

// Words put into the terminal's input would be read by the user's shell.
static void terminals(struct program *p)
{
    put(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5);
    load(p, ARG(1));
    put(p, BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 1, 0);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, 0x541C /* TIOCLINUX */, 0, 1);
    give(p, ANSWER(EPERM));
    give(p, SECCOMP_RET_ALLOW);
}

struct sock_filter *ks_sandbox_calls(struct ks_arena *arena, bool starts, bool scoped, size_t *n)
{
    struct program p = {KS_NEW_ARRAY(arena, struct sock_filter, MOST), 0};
    load(&p, offsetof(struct seccomp_data, arch));
    put(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    give(&p, SECCOMP_RET_KILL_PROCESS); // calls of another numbering
    load(&p, NUMBER);
#ifdef __x86_64__
    put(&p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // x32's
    give(&p, ANSWER(ENOSYS));
#endif
    refuse_all(&p, refused, COUNT(refused));
    refuse(&p, SYS_setpgid,
           0); // seems to work: programs that want a group of their own go on without
    if (!scoped)
        refuse_all(&p, signals, COUNT(signals));
    if (!starts)
        refuse_all(&p, starting, COUNT(starting));
    clones(&p, starts);
    terminals(&p);
    limits(&p);
    give(&p, SECCOMP_RET_ALLOW);
    *n = p.n;
    return p.at;
}

bool ks_sandbox_seal(const struct ks_sandbox *sandbox)
{
    struct sock_fprog program = {(unsigned short)sandbox->n_filter, sandbox->filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
