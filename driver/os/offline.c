#include "os/offline.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#define X32_BIT 0x80000000u // there are no calls of another width
#else
#define ARCH 0
#define X32_BIT 0x80000000u
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define REFUSE (SECCOMP_RET_ERRNO | EACCES)

enum ks_status ks_offline(struct ks_err *err)
{
    // Of socket(2) the family decides; io_uring makes sockets that no filter sees. Calls of another width are refused.
    struct sock_filter filter[] = {
        LOAD(arch),
        IF_EQUAL(ARCH, 1, 0),
        GIVE(REFUSE),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 7, 0),
        IF_EQUAL(SYS_io_uring_setup, 6, 0),
        IF_EQUAL(SYS_socket, 1, 0),
        GIVE(SECCOMP_RET_ALLOW),
        LOAD(args[0]), // the low half, where numbers are stored so
        IF_EQUAL(AF_INET, 2, 0),
        IF_EQUAL(AF_INET6, 1, 0),
        GIVE(SECCOMP_RET_ALLOW),
        GIVE(REFUSE),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (ARCH == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the network cannot be kept out here: %s",
                ARCH == 0 ? "unknown processor" : strerror(errno));
    return KS_OK;
}
