// hammer: every fault at every place of one compile by ks-nvcc, and what becomes of it.
//
//   hammer [--long] [--strict] [--tunes] [--may-substitute] [--only=FAULT] SCENE KS_NVCC NVCC WORDS...
//
// SCENE is a folder with `state` (what each run starts from) and `tape` (recorded compiles); runs take
// place in SCENE/w with HOME=SCENE/w/home and TMPDIR=SCENE/w/tmp. WORDS make a.o and a.d there; both
// exist before, with contents that no compile makes. Held against NVCC run with the same words:
// status, output, object, depfile, what else lies there; and against a second, ordinary run.
//
// Without --long a sample: every fault, at some of its places.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"
#include "fault_names.h"
#include "scene.h"

#define UNARMED 7 // system calls by which ks-nvcc gets ready for faults

// What may become of a compile. AS_NVCC: nothing is to be seen.
enum outcome { AS_NVCC, CUT_OFF, KILLED };

static const struct plan {
    struct fault fault;
    enum outcome outcome;
    int stride; // of the places tried without --long
} plans[] = {
    {{.call = "disk", .onwards = true, .kind = FAULT_ERROR, .number = ENOSPC}, AS_NVCC, 2},
    {{.call = "disk", .kind = FAULT_ERROR, .number = EDQUOT}, AS_NVCC, 2},
    {{.call = "create", .onwards = true, .kind = FAULT_ERROR, .number = EROFS}, AS_NVCC, 3},
    {{.call = "open", .onwards = true, .kind = FAULT_ERROR, .number = EMFILE}, AS_NVCC, 7},
    {{.call = "openat", .kind = FAULT_ERROR, .number = EACCES}, AS_NVCC, 4},
    {{.call = "io", .kind = FAULT_ERROR, .number = EIO}, AS_NVCC, 7},
    {{.call = "stat", .kind = FAULT_ERROR, .number = ESTALE}, AS_NVCC, 5},
    {{.call = "memory", .onwards = true, .kind = FAULT_ERROR, .number = ENOMEM}, AS_NVCC, 3},
    {{.call = "read", .kind = FAULT_ERROR, .number = EINTR}, AS_NVCC, 5},
    {{.call = "read", .kind = FAULT_SHORT}, AS_NVCC, 4},
    {{.call = "write", .kind = FAULT_ERROR, .number = EINTR}, AS_NVCC, 2},
    {{.call = "write", .kind = FAULT_SHORT}, AS_NVCC, 1},
    {{.call = "close", .kind = FAULT_ERROR, .number = EIO}, AS_NVCC, 7},
    {{.call = "rename", .kind = FAULT_ERROR, .number = EXDEV}, AS_NVCC, 1},
    {{.call = "linkat", .kind = FAULT_ERROR, .number = EPERM}, AS_NVCC, 1},
    {{.call = "tmpfile", .onwards = true, .kind = FAULT_ERROR, .number = EOPNOTSUPP}, AS_NVCC, 2},
    {{.call = "mkdir", .kind = FAULT_ERROR, .number = EACCES}, AS_NVCC, 1},
    {{.call = "unlink", .kind = FAULT_ERROR, .number = EBUSY}, AS_NVCC, 5},
    {{.call = "flock", .onwards = true, .kind = FAULT_ERROR, .number = ENOLCK}, AS_NVCC, 1},
    {{.call = "fork", .onwards = true, .kind = FAULT_ERROR, .number = EAGAIN}, AS_NVCC, 1},
    {{.call = "execve", .kind = FAULT_ERROR, .number = EAGAIN}, AS_NVCC, 1},
    {{.call = "wait", .kind = FAULT_ERROR, .number = EINTR}, AS_NVCC, 3},
    {{.call = "own", .kind = FAULT_SIGNAL, .number = SIGSEGV}, AS_NVCC, 11},
    {{.call = "any", .kind = FAULT_SIGNAL, .number = SIGTERM}, CUT_OFF, 23},
    {{.call = "any", .kind = FAULT_GROUP, .number = SIGINT}, CUT_OFF, 19},
    {{.call = "any", .kind = FAULT_SIGNAL, .number = SIGKILL}, KILLED, 5},
};

static bool thorough;
static long faults;

static void check_as_nvcc(const struct fault *fault, const struct fault_result *result)
{
    enum object kind = scene_object();
    bool main_exec = strcmp(fault->call, "execve") == 0 && strstr(result->where, "child") == NULL;
    if (scene_refused(result->status))
        return;
    if (result->status != scene.nvcc_status && !(main_exec && WEXITSTATUS(result->status) == 110)) {
        printf("wait status %#x\n", (unsigned)result->status);
        scene_fail("another status");
    }
    scene_check_text();
    if (kind != PLAIN && !(kind == SUBSTITUTED && scene.may_substitute))
        scene_fail(kind == STALE  ? "the object is an old one"
             : kind == NONE ? "no object"
                            : "an object that nobody compiled");
    if (scene.strict && kind != SUBSTITUTED)
        scene_fail("strict mode let an object without a decision pass");
    scene_check_depfile();
}

static void check_cut_off(const struct fault *fault, const struct fault_result *result)
{
    bool by_signal = WIFSIGNALED(result->status) && WTERMSIG(result->status) == fault->number;
    enum object kind = scene_object();
    if (!by_signal && result->status != scene.nvcc_status && !scene_refused(result->status)) {
        printf("wait status %#x\n", (unsigned)result->status);
        scene_fail("another status");
    }
    if (kind == OTHER)
        scene_fail("an object that nobody compiled");
    if (!scene_is_empty("tmp"))
        scene_fail("something is left in TMPDIR");
    if (result->status == scene.nvcc_status && kind != PLAIN && kind != SUBSTITUTED)
        scene_fail("success without an object");
}

// One fault at one place. False when the program has no such place.
static bool hit(const struct plan *plan, const struct fault *fault)
{
    struct fault_program program = {.argv = scene.ks_nvcc, .stdout_path = "out",
                                    .stderr_path = "err", .seconds = 60};
    struct fault_result result;
    scene_restore();
    scene.killed = plan->outcome == KILLED || fault->number == SIGSEGV;
    scene.runs++;
    fault_print(fault, scene.what, sizeof scene.what);
    if (!fault_run(&program, fault, &result)) {
        printf("skipped: cannot trace a program: %s\n", strerror(errno));
        exit(77);
    }
    if (!result.injected)
        return false;
    size_t n = strlen(scene.what);
    snprintf(scene.what + n, sizeof scene.what - n, " (%s)", result.where);
    if (getenv("HAMMER_VERBOSE") != NULL)
        fprintf(stderr, "%s\n", scene.what);
    faults++;
    if (result.hung)
        scene_fail("it hangs");
    if (fault->number == SIGSEGV && fault->nth <= UNARMED)
        ; // it is not yet prepared
    else if (plan->outcome == AS_NVCC)
        check_as_nvcc(fault, &result);
    else if (plan->outcome == CUT_OFF)
        check_cut_off(fault, &result);
    else if (scene_object() == OTHER)
        scene_fail("an object that nobody compiled");
    if (scene.may_substitute)
        scene_check_store();
    scene_check_next();
    return true;
}

static void go_through(size_t i)
{
    const struct plan *plan = &plans[i];
    struct fault fault = plan->fault;
    int stride = thorough ? 1 : plan->stride;
    // Which of the places: not the same ones for every kind of fault.
    for (fault.nth = 1 + (long)(i * 7) % stride; hit(plan, &fault); fault.nth += stride)
        ;
}

// A traced program and its tracer take turns at each of its calls: on two processors most of the time is
// spent on waking one another. Each hammer takes a processor that no other has; it stays taken to the end.
static void stay_on_a_processor(void)
{
    cpu_set_t allowed, one;
    char path[64];
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu", i);
        int fd = CPU_ISSET(i, &allowed) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            (void)sched_setaffinity(0, sizeof one, &one);
            return;
        }
        if (fd >= 0)
            close(fd);
    }
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    int at = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--long") == 0)
            thorough = true;
        else if (strcmp(argv[at], "--strict") == 0)
            scene.strict = true;
        else if (strcmp(argv[at], "--tunes") == 0)
            scene.tunes = true;
        else if (strcmp(argv[at], "--may-substitute") == 0)
            scene.may_substitute = true;
        else if (strncmp(argv[at], "--only=", 7) == 0)
            only = argv[at] + 7;
        else
            return 2;
    }
    if (!scene_words(argc - at, argv + at))
        return 2;
    stay_on_a_processor();
    scene_reference();
    char text[128];
    struct plan one = {.outcome = AS_NVCC};
    if (only != NULL) {
        snprintf(text, sizeof text, "%s", only);
        if (!fault_parse(text, &one.fault))
            return 2;
        if (one.fault.kind == FAULT_SIGNAL || one.fault.kind == FAULT_GROUP)
            one.outcome = one.fault.number == SIGKILL   ? KILLED
                          : one.fault.number == SIGSEGV ? AS_NVCC
                                                        : CUT_OFF;
        if (!hit(&one, &one.fault))
            printf("no such place\n");
        return 0;
    }
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        long before = faults;
        go_through(i);
        fault_print(&plans[i].fault, text, sizeof text);
        printf("%5ld  %s\n", faults - before, text);
    }
    printf("%ld faults, %ld runs\n", faults, scene.runs);
    return 0;
}
