// What a confined program can do no more, and that the same program unconfined can: each attempt is a
// process of this very program, so that nothing here depends on what tools the machine has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"
#include "os/sandbox.h"

#define REFUSED 10 // exit statuses of an attempt
#define DONE 11

// ---- the attempts

static bool reads(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, &byte, 1) == 1;
}
static bool writes(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && write(fd, "x", 1) == 1;
}
static bool appends_to(const char *path) { return truncate(path, 0) == 0; }
static bool changes_mode(const char *path) { return chmod(path, 0600) == 0; }
static bool removes(const char *path) { return unlink(path) == 0; }
static bool links_here(const char *path) { return symlink(path, "link") == 0; }
static bool lists(const char *path)
{
    struct ks_arena arena = {0};
    struct ks_strv names = {0};
    return ks_dir_list(&arena, path, &names, NULL) == KS_OK;
}
static bool opens_a_socket(const char *path)
{
    (void)path;
    return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}
static bool calls_a_server(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
}
static bool forks(const char *path)
{
    (void)path;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid > 0 && waitpid(pid, NULL, 0) == pid;
}
static void *nothing(void *unused) { return unused; }
static bool threads(const char *path)
{
    (void)path;
    pthread_t thread;
    return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}
static bool starts(const char *path)
{
    execl(path, path, "--exit", (char *)NULL);
    return false;
}
static bool signals_its_parent(const char *path)
{
    (void)path;
    return kill(getppid(), 0) == 0;
}
static bool leaves_its_session(const char *path)
{
    (void)path;
    pid_t pid = fork(); // a leader of a group can begin no session
    if (pid == 0)
        _exit(setsid() > 0);
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 1;
}
static bool makes_a_namespace(const char *path)
{
    (void)path;
    return unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0;
}
static bool submits_rings(const char *path)
{
    (void)path;
    char parameters[256] = {0};
    // Made, or refused for what is wrong with it: the call itself is there.
    return syscall(SYS_io_uring_setup, 1, parameters) >= 0 || (errno != EPERM && errno != ENOSYS);
}
static bool lifts_its_limits(const char *path)
{
    (void)path;
    struct rlimit now;
    return getrlimit(RLIMIT_FSIZE, &now) == 0 && setrlimit(RLIMIT_FSIZE, &now) == 0;
}
static const struct {
    const char *name;
    bool (*attempt)(const char *path);
} attempts[] = {
    {"read", reads}, {"write", writes}, {"truncate", appends_to}, {"chmod", changes_mode},
    {"unlink", removes}, {"symlink", links_here}, {"list", lists}, {"socket", opens_a_socket},
    {"connect", calls_a_server}, {"fork", forks}, {"thread", threads}, {"exec", starts},
    {"signal", signals_its_parent}, {"session", leaves_its_session}, {"namespace", makes_a_namespace},
    {"rings", submits_rings}, {"limits", lifts_its_limits},
};

static int attempt_main(const char *name, const char *path)
{
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (strcmp(attempts[i].name, name) == 0)
            return attempts[i].attempt(path) ? DONE : REFUSED;
    return 1;
}

// Takes more and more of something until it is stopped.
static _Noreturn void greed_main(const char *what, const char *dir)
{
    char path[4096];
    static char block[1 << 16];
    for (int i = 0;; i++) {
        if (strcmp(what, "processes") == 0) {
            if (fork() == 0)
                for (;;)
                    pause();
            usleep(1000);
            continue;
        }
        snprintf(path, sizeof path, "%s/%s%d", dir, what, strcmp(what, "files") == 0 ? i : 0);
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        for (int k = 0; k < 16; k++)
            if (write(fd, block, sizeof block) < 0)
                _exit(REFUSED);
        close(fd);
    }
}

// ---- the scene

static struct {
    struct ks_arena arena;
    char *dir;
    const char *inside, *outside, *hidden, *self, *key, *secret;
    int server;
} scene;

static int open_scene(void **state)
{
    (void)state;
    struct ks_err err = {0};
    char why[256];
    struct ks_arena *arena = &scene.arena;
    if (!ks_sandbox_supported(why)) {
        print_message("skipped: %s\n", why);
        exit(77);
    }
    assert_int_equal(ks_dir_temp(arena, "ks-test-sandbox", &scene.dir, &err), KS_OK);
    scene.inside = ks_path_join(arena, scene.dir, "inside");
    scene.outside = ks_path_join(arena, scene.dir, "outside");
    scene.hidden = ks_path_join(arena, scene.dir, "shown/config/ks");
    scene.key = ks_path_join(arena, scene.outside, "key.sec");
    scene.secret = ks_path_join(arena, scene.hidden, "key.sec");
    scene.self = ks_path_real(arena, "/proc/self/exe");
    const char *const dirs[] = {scene.inside, scene.outside, scene.hidden,
                                ks_path_join(arena, scene.dir, "shown/more")};
    const char *const files[] = {scene.key, scene.secret, ks_path_join(arena, dirs[3], "header.h"),
                                 ks_path_join(arena, scene.dir, "shown/config/other")};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(ks_dir_make(dirs[i], &err), KS_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(ks_file_write(files[i], "text", 4, false, 0, &err), KS_OK);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/server", scene.outside);
    scene.server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(scene.server, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(scene.server, 4), 0);
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    close(scene.server);
    ks_tree_remove(scene.dir, NULL);
    ks_arena_free(&scene.arena);
    return 0;
}

static struct ks_sandbox make(bool starting)
{
    struct ks_sandbox sandbox;
    struct ks_err err = {0};
    struct ks_strv read = {0};
    for (size_t i = 0; ks_sandbox_system[i] != NULL; i++)
        ks_strv_add(&scene.arena, &read, ks_sandbox_system[i]);
    ks_strv_add(&scene.arena, &read, scene.self);
    ks_strv_add(&scene.arena, &read, ks_path_join(&scene.arena, scene.dir, "shown"));
    ks_strv_add(&scene.arena, &read, "/nowhere/at/all");
    const char *const write[] = {scene.inside, NULL}, *const hidden[] = {scene.hidden, NULL},
                      *const devices[] = {"/dev/null", NULL};
    const struct ks_sandbox_rules rules = {.read = read.at, .write = write, .devices = devices,
                                           .hidden = hidden, .starts = starting,
                                           .max_file = 8 << 20, .max_written = 16 << 20,
                                           .max_processes = 16};
    if (ks_sandbox_make(&scene.arena, &rules, &sandbox, &err) != KS_OK)
        fail_msg("%s", err.text);
    return sandbox;
}

// Exit status of one attempt, by a child that is confined like a compiler, or not at all.
static int tried(const char *name, const char *path, const struct ks_sandbox *sandbox)
{
    const char *const argv[] = {scene.self, "--attempt", name, path, NULL};
    const struct ks_proc_options options = {.sandbox = sandbox, .timeout_seconds = 30,
                                            .cwd = scene.inside};
    struct ks_proc_result result;
    struct ks_err err = {0};
    if (ks_proc_run(&scene.arena, argv, &options, &result, &err) != KS_OK)
        fail_msg("%s: %s", name, err.text);
    return result.exit_code;
}

static void expect(const char *name, const char *path, const struct ks_sandbox *sandbox, int status)
{
    int got = tried(name, path, sandbox);
    if (got != status)
        fail_msg("%s %s%s: %d, not %d", name, path, sandbox == NULL ? " unconfined" : "", got, status);
}

static const char *in(const char *dir, const char *name)
{
    return ks_path_join(&scene.arena, dir, name);
}

static void what_is_not_given_is_out_of_reach(void **state)
{
    (void)state;
    const char *shown = in(scene.dir, "shown");
    struct ks_sandbox sandbox = make(true);
    const struct { const char *name, *path; } refused[] = {
        {"read", scene.key}, {"read", scene.secret}, {"read", "/etc/hostname"}, {"list", scene.outside},
        {"list", scene.hidden}, {"write", in(scene.outside, "new")}, {"write", scene.key},
        {"write", in(shown, "more/header.h")}, {"write", in(shown, "more/new.h")},
        {"truncate", scene.key}, {"truncate", in(shown, "more/header.h")}, {"chmod", scene.key},
        {"chmod", in(shown, "more/header.h")}, {"unlink", scene.key}, {"symlink", scene.key},
        {"socket", ""}, {"connect", in(scene.outside, "server")}, {"session", ""}, {"namespace", ""},
        {"rings", ""}, {"limits", ""}, {"signal", ""},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect(refused[i].name, refused[i].path, &sandbox, REFUSED);
    ks_sandbox_close(&sandbox);
}

static void what_is_given_works(void **state)
{
    (void)state;
    const char *shown = in(scene.dir, "shown");
    struct ks_sandbox sandbox = make(true);
    const struct { const char *name, *path; } done[] = {
        {"read", in(shown, "more/header.h")}, {"read", in(shown, "config/other")},
        {"read", "/etc/ld.so.cache"}, {"write", in(scene.inside, "new")}, {"read", in(scene.inside, "new")},
        {"unlink", in(scene.inside, "new")}, {"write", "/dev/null"}, {"fork", ""}, {"thread", ""},
    };
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
        expect(done[i].name, done[i].path, &sandbox, DONE);
    expect("exec", scene.self, &sandbox, 0);
    ks_sandbox_close(&sandbox);
}

// Else the refusals above would show nothing.
static void all_of_it_works_unconfined(void **state)
{
    (void)state;
    const struct { const char *name, *path; } done[] = {
        {"read", scene.key}, {"read", scene.secret}, {"list", scene.outside},
        {"write", in(scene.outside, "new")}, {"truncate", in(scene.outside, "new")},
        {"chmod", in(scene.outside, "new")}, {"unlink", in(scene.outside, "new")}, {"symlink", scene.key},
        {"socket", ""}, {"connect", in(scene.outside, "server")}, {"session", ""}, {"limits", ""},
        {"signal", ""}, {"fork", ""},
    };
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
        expect(done[i].name, done[i].path, NULL, DONE);
    unlink(in(scene.inside, "link"));
}

// A worker confines itself, once its device is open: threads go on, processes do not.
static void a_process_can_confine_itself(void **state)
{
    (void)state;
    static const struct { const char *name; int status; } expected[] = {
        {"fork", REFUSED}, {"exec", REFUSED}, {"socket", REFUSED}, {"read", REFUSED}, {"thread", DONE},
        {"signal", REFUSED},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct ks_sandbox sandbox = make(false);
        pid_t pid = fork();
        if (pid == 0) {
            bool entered = ks_sandbox_fence(&sandbox) && ks_sandbox_seal(&sandbox);
            const char *path = strcmp(expected[i].name, "exec") == 0 ? scene.self : scene.key;
            _exit(entered ? attempt_main(expected[i].name, path) : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != expected[i].status)
            fail_msg("%s: %x", expected[i].name, (unsigned)status);
        ks_sandbox_close(&sandbox);
    }
}

static void *waits(void *started)
{
    *(volatile bool *)started = true;
    for (;;)
        pause();
    return NULL;
}

static void system_calls_are_refused_to_threads_there_were(void **state)
{
    (void)state;
    struct ks_sandbox sandbox = make(false);
    pid_t pid = fork();
    if (pid == 0) {
        volatile bool started = false;
        pthread_t thread;
        pthread_create(&thread, NULL, waits, (void *)(uintptr_t)&started);
        while (!started)
            sched_yield();
        bool sealed = ks_sandbox_seal(&sandbox);
        // Each thread's state: all of them are to have the filter.
        struct ks_strv tasks = {0};
        int filtered = 0;
        ks_dir_list(&scene.arena, "/proc/self/task", &tasks, NULL);
        for (size_t i = 0; i < tasks.len; i++) {
            char line[256];
            FILE *file = fopen(ks_arena_printf(&scene.arena, "/proc/self/task/%s/status", tasks.at[i]), "re");
            while (file != NULL && fgets(line, sizeof line, file) != NULL)
                filtered += strcmp(line, "Seccomp:\t2\n") == 0;
        }
        _exit(sealed && tasks.len == 2 && filtered == 2 ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    ks_sandbox_close(&sandbox);
}

static void greed(const char *what, const char *told)
{
    const char *const argv[] = {scene.self, "--greed", what, scene.inside, NULL};
    struct ks_sandbox sandbox = make(true);
    const struct ks_proc_options options = {.sandbox = &sandbox, .timeout_seconds = 60};
    struct ks_proc_result result;
    struct ks_err err = {0};
    enum ks_status status = ks_proc_run(&scene.arena, argv, &options, &result, &err);
    if (told == NULL) {
        assert_int_equal(status, KS_OK);
        assert_true(result.exit_code == REFUSED || result.signal == SIGXFSZ);
    } else {
        assert_int_equal(status, KS_E_CHILD);
        assert_false(result.timed_out);
        assert_string_equal(result.exceeded, told);
        assert_non_null(strstr(err.text, told));
    }
    // Nothing of it is left running.
    assert_int_equal(tried("read", scene.key, NULL), DONE);
    ks_sandbox_close(&sandbox);
    ks_tree_remove(scene.inside, NULL);
    ks_dir_make(scene.inside, NULL);
}

static void greed_is_stopped(void **state)
{
    (void)state;
    greed("processes", "too many processes");
    greed("files", "too many bytes written");
    greed("file", NULL); // by the kernel: one file has a limit of its own
}

static void nothing_outlives_what_it_was_started_for(void **state)
{
    (void)state;
    const char *mark = in(scene.inside, "alive");
    const char *const argv[] = {scene.self, "--leave", mark, NULL};
    struct ks_sandbox sandbox = make(true);
    const struct ks_proc_options options = {.sandbox = &sandbox, .timeout_seconds = 30};
    struct ks_proc_result result;
    assert_int_equal(ks_proc_run(&scene.arena, argv, &options, &result, NULL), KS_OK);
    assert_int_equal(result.exit_code, 0);
    usleep(400000);
    assert_false(ks_file_exists(mark)); // what was left behind would have made it by now
    ks_sandbox_close(&sandbox);
}

static void only_what_compilers_and_drivers_read_is_handed_in(void **state)
{
    (void)state;
    assert_true(ks_sandbox_variable("PATH=/bin"));
    assert_true(ks_sandbox_variable("CUDA_VISIBLE_DEVICES=0"));
    assert_true(ks_sandbox_variable("NVCC_APPEND_FLAGS=-O2"));
    assert_false(ks_sandbox_variable("OPENAI_API_KEY=x"));
    assert_false(ks_sandbox_variable("HOME=/root"));
    assert_false(ks_sandbox_variable("LD_PRELOAD=x.so"));
    assert_false(ks_sandbox_variable("SSH_AUTH_SOCK=/tmp/a"));
    assert_false(ks_sandbox_variable("KS_CONFIG_DIR=/x"));
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--attempt") == 0)
        return attempt_main(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "--greed") == 0)
        greed_main(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "--leave") == 0) {
        if (fork() == 0) {
            usleep(200000);
            writes(argv[2]);
        }
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--exit") == 0)
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_given_is_out_of_reach),
        cmocka_unit_test(what_is_given_works),
        cmocka_unit_test(all_of_it_works_unconfined),
        cmocka_unit_test(a_process_can_confine_itself),
        cmocka_unit_test(system_calls_are_refused_to_threads_there_were),
        cmocka_unit_test(greed_is_stopped),
        cmocka_unit_test(nothing_outlives_what_it_was_started_for),
        cmocka_unit_test(only_what_compilers_and_drivers_read_is_handed_in),
    };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
