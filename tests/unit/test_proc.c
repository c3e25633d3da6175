#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

static struct ks_arena arena;

static enum ks_status shell(const char *script, const struct ks_proc_options *options,
                            struct ks_proc_result *result, struct ks_err *err)
{
    return ks_proc_run(&arena, (const char *const[]){"sh", "-c", script, NULL}, options, result,
                       err);
}

static void streams_and_status_come_back_apart(void **state)
{
    (void)state;
    struct ks_proc_result r;
    struct ks_proc_options both = {
        .capture_stdout = true, .capture_stderr = true, .null_stdin = true};
    assert_int_equal(shell("cat; echo out; echo err >&2; exit 7", &both, &r, NULL), KS_OK);
    assert_int_equal(r.exit_code, 7);
    assert_int_equal(r.signal, 0);
    assert_string_equal(r.out.at, "out\n");
    assert_string_equal(r.err.at, "err\n");
    assert_int_equal(shell("kill -9 $$", &both, &r, NULL), KS_OK);
    assert_int_equal(r.exit_code, 137);
    assert_int_equal(r.signal, SIGKILL);
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct ks_proc_result r;
    struct ks_err err;
    const char *const unknown[] = {"ks-no-such-program", NULL};
    assert_int_equal(ks_proc_run(&arena, unknown, NULL, &r, &err), KS_E_CHILD);
    assert_string_equal(err.text, "cannot start ks-no-such-program: not found on PATH");
    const char *const directory[] = {"/tmp", NULL};
    assert_int_equal(ks_proc_run(&arena, directory, NULL, &r, &err), KS_E_CHILD);
    assert_string_equal(err.text, "cannot start /tmp: Permission denied");
    struct ks_proc_options nowhere = {.cwd = "/no/such/dir"};
    assert_int_equal(shell("true", &nowhere, &r, &err), KS_E_CHILD);
    assert_non_null(strstr(err.text, "in /no/such/dir"));
    assert_int_equal(ks_proc_exec("/no/such/program", unknown, &err), KS_E_ABSENT);
}

static void output_is_capped_and_the_rest_read(void **state)
{
    (void)state;
    struct ks_proc_result r;
    struct ks_proc_options options = {
        .capture_stdout = true, .max_output = 1000, .timeout_seconds = 20};
    assert_int_equal(shell("head -c 3000000 /dev/zero; exit 3", &options, &r, NULL), KS_OK);
    assert_int_equal(r.exit_code, 3);
    assert_int_equal(r.out.len, 1000);
    options.max_output = 0;
    assert_int_equal(shell("head -c 3000000 /dev/zero", &options, &r, NULL), KS_OK);
    assert_int_equal(r.out.len, 3000000);
}

// Ended, or a zombie that init has not collected yet; waits up to a second for that.
static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 100; i++) {
        char letter = 'Z';
        FILE *f = fopen(ks_arena_printf(&arena, "/proc/%d/stat", (int)pid), "re");
        if (f == NULL)
            return true;
        int got = fscanf(f, "%*d %*s %c", &letter);
        fclose(f);
        if (got != 1 || letter == 'Z' || letter == 'X')
            return true;
        ks_sleep(0.01);
    }
    return false;
}

static void the_deadline_kills_the_whole_group(void **state)
{
    (void)state;
    struct ks_proc_result r;
    struct ks_err err;
    struct ks_proc_options options = {.capture_stdout = true, .timeout_seconds = 0.3};
    // A grandchild that ignores TERM and holds the pipe open.
    double started = ks_now();
    assert_int_equal(
        shell("trap '' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait",
              &options, &r, &err),
        KS_E_CHILD);
    assert_true(r.timed_out);
    assert_true(ks_now() - started < 5);
    pid_t grandchild = atoi(r.out.at);
    assert_true(grandchild > 1);
    assert_true(is_gone(grandchild));
}

static void a_background_process_does_not_hold_us(void **state)
{
    (void)state;
    struct ks_proc_result r;
    struct ks_proc_options options = {.capture_stdout = true, .timeout_seconds = 20};
    assert_int_equal(shell("sleep 3 & echo done", &options, &r, NULL), KS_OK);
    assert_string_equal(r.out.at, "done\n");
    assert_true(r.seconds < 2);
}

// A daemon may start us with closed standard streams: our pipes must not take their numbers.
static void closed_standard_streams_do_no_harm(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        struct ks_proc_result r;
        struct ks_proc_options both = {.capture_stdout = true, .capture_stderr = true};
        _exit(shell("cat; echo out; echo err >&2", &both, &r, NULL) == KS_OK &&
                      ks_slice_eq(r.out, "out\n") && ks_slice_eq(r.err, "err\n")
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void environment_directory_and_memory_are_set(void **state)
{
    (void)state;
    struct ks_proc_result r;
    const char *const env[] = {"A=b c", NULL};
    struct ks_proc_options options = {.capture_stdout = true, .env = env, .cwd = "/"};
    assert_int_equal(shell("echo \"$A$HOME\"; pwd", &options, &r, NULL), KS_OK);
    assert_string_equal(r.out.at, "b c\n/\n");
    if (KS_SANITIZED) // it wants all addresses
        return;
    options = (struct ks_proc_options){.capture_stdout = true, .max_memory = INT64_C(1) << 30};
    assert_int_equal(shell("ulimit -v", &options, &r, NULL), KS_OK);
    assert_string_equal(r.out.at, "1048576\n");
}

static void path_is_searched_and_one_file_skipped(void **state)
{
    (void)state;
    char *sh = ks_proc_which(&arena, "sh", NULL);
    assert_non_null(sh);
    assert_int_equal(sh[0], '/');
    assert_null(ks_proc_which(&arena, "ks-no-such-program", NULL));
    char *dir;
    assert_int_equal(ks_dir_temp(&arena, "ks-test", &dir, NULL), KS_OK);
    char *fake = ks_path_join(&arena, dir, "sh"), *other = ks_path_join(&arena, dir, "link");
    assert_int_equal(ks_file_write(fake, "", 0, false, 0755, NULL), KS_OK);
    assert_int_equal(symlink(fake, other), 0);
    char *path = ks_arena_strdup(&arena, getenv("PATH"));
    setenv("PATH", ks_arena_printf(&arena, "%s:%s", dir, path), 1);
    assert_string_equal(ks_proc_which(&arena, "sh", NULL), fake);
    assert_string_equal(ks_proc_which(&arena, "sh", other), sh);
    setenv("PATH", path, 1);
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
}

static void lines_go_both_ways(void **state)
{
    (void)state;
    struct ks_child child;
    struct ks_slice line;
    struct ks_err err;
    const char *const argv[] = {"sh", "-c",
                                "while read x; do echo \"<$x>\"; echo second; done; exit 5", NULL};
    assert_int_equal(ks_child_start(argv, NULL, &child, &err), KS_OK);
    for (int i = 0; i < 3; i++) {
        const struct ks_slice parts[] = {{"hel", 3}, {"", 0}, {"lo\n", 3}};
        assert_int_equal(ks_child_write(&child, parts, 3, &err), KS_OK);
        assert_int_equal(ks_child_read_line(&child, 10, 100, &line, &err), KS_OK);
        assert_string_equal(line.at, "<hello>");
        assert_int_equal(ks_child_read_line(&child, 10, 100, &line, &err), KS_OK);
        assert_true(ks_slice_eq(line, "second"));
    }
    assert_int_equal(ks_child_read_line(&child, 0.05, 100, &line, &err), KS_E_LIMIT);
    int code = 0;
    ks_child_stop(&child, 10, &code);
    assert_int_equal(code, 5);
    ks_child_stop(&child, 10, &code);
    assert_int_equal(ks_child_write(&child, &(struct ks_slice){"x", 1}, 1, &err), KS_E_CHILD);
    assert_int_equal(ks_child_read_line(&child, 1, 1, &line, &err), KS_E_CHILD);
}

// More than a pipe holds, in parts that end in the middle of it.
static void parts_come_in_order(void **state)
{
    (void)state;
    struct ks_child child;
    struct ks_slice line, parts[3];
    struct ks_err err;
    static const size_t sizes[] = {100001, 3, 1999996};
    for (size_t i = 0; i < 3; i++) {
        char *text = ks_arena_alloc(&arena, sizes[i]);
        memset(text, "abc"[i], sizes[i]);
        parts[i] = (struct ks_slice){text, sizes[i]};
    }
    const char *const argv[] = {"sh", "-c", "sleep 0.1; head -c 2100000 | tr -s abc; echo", NULL};
    assert_int_equal(ks_child_start(argv, NULL, &child, &err), KS_OK);
    assert_int_equal(ks_child_write(&child, parts, 3, &err), KS_OK);
    assert_int_equal(ks_child_read_line(&child, 10, 100, &line, &err), KS_OK);
    assert_string_equal(line.at, "abc");
    ks_child_stop(&child, 1, NULL);
}

static void more_parts_than_one_write_takes(void **state)
{
    (void)state;
    struct ks_child child;
    struct ks_slice line, parts[1501];
    struct ks_err err;
    for (size_t i = 0; i < 1500; i++)
        parts[i] = (struct ks_slice){&"abc"[i / 500], 1};
    parts[1500] = (struct ks_slice){"\n", 1};
    assert_int_equal(ks_child_start((const char *const[]){"sh", "-c", "head -n 1", NULL}, NULL, &child, &err), KS_OK);
    assert_int_equal(ks_child_write(&child, parts, 1501, &err), KS_OK);
    assert_int_equal(ks_child_read_line(&child, 10, 2000, &line, &err), KS_OK);
    assert_int_equal(strlen(line.at), 1500);
    for (size_t i = 0; i < 1500; i++)
        assert_int_equal(line.at[i], "abc"[i / 500]);
    ks_child_stop(&child, 1, NULL);
}

static void bad_children_are_reported(void **state)
{
    (void)state;
    struct ks_child child;
    struct ks_slice line;
    struct ks_err err;
    assert_int_equal(
        ks_child_start(
            (const char *const[]){"sh", "-c", "head -c 100000 /dev/zero; sleep 60", NULL}, NULL,
            &child, &err),
        KS_OK);
    assert_int_equal(ks_child_read_line(&child, 10, 5000, &line, &err), KS_E_LIMIT);
    double started = ks_now();
    int code;
    ks_child_stop(&child, 0.1, &code);
    assert_true(code > 128 && ks_now() - started < 5);

    assert_int_equal(ks_child_start((const char *const[]){"true", NULL}, NULL, &child, &err),
                     KS_OK);
    assert_int_equal(ks_child_read_line(&child, 10, 100, &line, &err), KS_E_CHILD);
    char *large = ks_arena_alloc(&arena, 1 << 20);
    assert_int_equal(ks_child_write(&child, &(struct ks_slice){large, 1 << 20}, 1, &err),
                     KS_E_CHILD); // no SIGPIPE
    ks_child_stop(&child, 1, NULL);
    assert_int_equal(ks_child_start((const char *const[]){"/no/such", NULL}, NULL, &child, &err),
                     KS_E_CHILD);
    ks_child_stop(&child, 1, NULL);
    // Children get the default SIGPIPE although we ignore it now.
    struct ks_proc_result r;
    struct ks_proc_options options = {.capture_stdout = true};
    assert_int_equal(shell("sh -c 'kill -PIPE $$'; echo $?", &options, &r, &err), KS_OK);
    assert_string_equal(r.out.at, "141\n");
}

static void a_deadline_ends_children_and_can_be_moved(void **state)
{
    (void)state;
    struct ks_proc_result r;
    struct ks_err err;
    double started = ks_now();
    ks_stop_at(started + 0.2);
    assert_false(ks_stop_expired());
    assert_int_equal(shell("sleep 30", NULL, &r, &err), KS_E_INTERRUPTED);
    assert_true(ks_now() - started < 5);
    assert_true(ks_stop_expired() && ks_stop_requested());
    ks_stop_at(0);
    assert_false(ks_stop_expired() || ks_stop_requested());
    assert_int_equal(shell("true", NULL, &r, &err), KS_OK);
}

// Last: it leaves the stop flag set.
static void a_stop_request_ends_children(void **state)
{
    (void)state;
    ks_stop_on_signals();
    assert_false(ks_stop_requested());
    pid_t self = getpid(), killer = fork();
    if (killer == 0) {
        ks_sleep(0.2);
        kill(self, SIGINT);
        _exit(0);
    }
    struct ks_proc_result r;
    struct ks_err err;
    double started = ks_now();
    assert_int_equal(shell("sleep 30", NULL, &r, &err), KS_E_INTERRUPTED);
    assert_true(ks_now() - started < 5);
    assert_true(ks_stop_requested());
    waitpid(killer, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_and_status_come_back_apart),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
        cmocka_unit_test(output_is_capped_and_the_rest_read),
        cmocka_unit_test(the_deadline_kills_the_whole_group),
        cmocka_unit_test(a_background_process_does_not_hold_us),
        cmocka_unit_test(closed_standard_streams_do_no_harm),
        cmocka_unit_test(environment_directory_and_memory_are_set),
        cmocka_unit_test(path_is_searched_and_one_file_skipped),
        cmocka_unit_test(lines_go_both_ways),
        cmocka_unit_test(parts_come_in_order),
        cmocka_unit_test(more_parts_than_one_write_takes),
        cmocka_unit_test(bad_children_are_reported),
        cmocka_unit_test(a_deadline_ends_children_and_can_be_moved),
        cmocka_unit_test(a_stop_request_ends_children),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return rc;
}
