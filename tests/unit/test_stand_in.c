// What a program in a compiler's place does about signals, closed streams and its own breakdown.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/status.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/rescue.h"

// Runs `body` in a process of its own, in a group of its own; its wait status.
static int apart(void (*body)(struct ks_arena *arena))
{
    struct ks_arena arena = {0};
    int status;
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        body(&arena);
        _exit(99);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int run(struct ks_arena *arena, const char *script, bool capture)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct ks_proc_options options = {.in_group = true, .capture_stdout = capture};
    struct ks_proc_result result;
    return ks_proc_run(arena, argv, &options, &result, NULL) == KS_OK ? result.exit_code : -1;
}

static void keeps_its_group(struct ks_arena *arena)
{
    struct ks_arena *a = arena;
    ks_stand_in();
    _exit(run(a, ks_arena_printf(a, "test $(ps -o pgid= -p $$) = %d", (int)getpgid(0)), false));
}

// The child of a Ctrl-C: nvcc answers with a status of its own.
static void waits_for_the_answer(struct ks_arena *arena)
{
    ks_stand_in();
    int status = run(arena, "trap 'sleep 0.2; exit 2' INT; kill -INT 0; sleep 10", false);
    if (!ks_stop_requested())
        _exit(98);
    ks_exit_as_child(status);
}

static void hands_a_request_on(struct ks_arena *arena)
{
    ks_stand_in();
    ks_exit_as_child(run(arena, "trap 'exit 7' TERM; kill -TERM $PPID; sleep 10 > /dev/null 2>&1 & wait", false));
}

static void dies_as_the_child(struct ks_arena *arena)
{
    ks_stand_in();
    ks_exit_as_child(run(arena, "kill -KILL $$", false));
}

static void ends_by_the_request(struct ks_arena *arena)
{
    (void)arena;
    ks_stand_in();
    raise(SIGHUP);
    if (ks_stop_requested())
        ks_exit_stopped();
}

static void leaves_alone_what_is_ignored(struct ks_arena *arena)
{
    signal(SIGHUP, SIG_IGN);
    ks_stand_in();
    raise(SIGHUP);
    if (ks_stop_requested())
        _exit(98);
    _exit(run(arena, "kill -HUP $$; exit 5", false)); // so for the child
}

static void errors_instead_of_signals(struct ks_arena *arena)
{
    struct rlimit limit = {10, 10};
    int fds[2];
    ks_stand_in();
    if (pipe(fds) != 0 || close(fds[0]) != 0 || write(fds[1], "x", 1) >= 0 || errno != EPIPE)
        _exit(1);
    int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (fd >= 0 && (write(fd, "0123456789", 10) != 10 || write(fd, "x", 1) >= 0 || errno != EFBIG))
        _exit(2);
    _exit(run(arena, "kill -PIPE $$; exit 3", false)); // the child's are as they were
}

static void holds_closed_streams(struct ks_arena *arena)
{
    struct stat null, out;
    close(1);
    ks_stand_in();
    int fd = open("/", O_RDONLY);
    if (fd <= 2 || stat("/dev/null", &null) != 0 || fstat(1, &out) != 0 ||
        out.st_rdev != null.st_rdev)
        _exit(1);
    _exit(run(arena, "test ! -e /proc/self/fd/1", false)); // closed for the child, as it was
}

static void signals_and_streams_are_those_of_a_compiler(void **state)
{
    (void)state;
    int status = apart(keeps_its_group);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    status = apart(waits_for_the_answer);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    status = apart(hands_a_request_on);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    status = apart(dies_as_the_child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    status = apart(ends_by_the_request);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
    status = apart(leaves_alone_what_is_ignored);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    status = apart(errors_instead_of_signals);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGPIPE);
    status = apart(holds_closed_streams);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const char *const other[] = {"sh", "-c", "exit 42", NULL};

static void arm(void)
{
    ks_rescue_arm("/bin/sh", other);
}

static void faults(struct ks_arena *arena)
{
    (void)arena;
    arm();
    raise(SIGSEGV);
}

static int deep(volatile char *above, int left)
{
    volatile char here[4096];
    here[0] = (char)(above[0] + 1);
    return left == 0 ? here[0] : deep(here, left - 1) + here[0];
}

static void overflows_its_stack(struct ks_arena *arena)
{
    (void)arena;
    struct rlimit limit = {1 << 20, 1 << 20};
    char first[1] = {0};
    setrlimit(RLIMIT_STACK, &limit);
    arm();
    deep(first, 1 << 20);
}

static void breaks_an_invariant(struct ks_arena *arena)
{
    arm();
    KS_ASSERT(arena == NULL);
}

static void exhausts_the_memory(struct ks_arena *arena)
{
    arm();
    ks_arena_alloc(arena, SIZE_MAX);
}

static void faults_when_all_is_done(struct ks_arena *arena)
{
    (void)arena;
    arm();
    ks_rescue_settle(3);
    raise(SIGABRT);
}

static void faults_beside_the_answer(struct ks_arena *arena)
{
    arm();
    run(arena, "kill -SEGV $PPID; sleep 0.2; exit 8", false);
}

static void faults_beside_another_child(struct ks_arena *arena)
{
    arm();
    run(arena, "kill -SEGV $PPID; sleep 0.2; head -c 1000000 /dev/zero; exit 8", true);
}

static void what_breaks_down_becomes_the_other(void **state)
{
    (void)state;
    if (KS_SANITIZED) // a sanitizer wants the faults
        skip();
    static void (*const bodies[])(struct ks_arena *) = {
        faults, overflows_its_stack, breaks_an_invariant, exhausts_the_memory,
        faults_beside_another_child};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        int status = apart(bodies[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    }
    int status = apart(faults_when_all_is_done);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    status = apart(faults_beside_the_answer);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_and_streams_are_those_of_a_compiler),
        cmocka_unit_test(what_breaks_down_becomes_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
