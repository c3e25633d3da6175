#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/lock.h"

static struct ks_arena arena;
static char *dir;

static int set_up(void **state)
{
    (void)state;
    return ks_dir_temp(&arena, "ks-test", &dir, NULL) == KS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    int rc = ks_tree_remove(dir, NULL) == KS_OK && !ks_file_exists(dir) ? 0 : -1;
    ks_arena_free(&arena);
    return rc;
}

static char *in_dir(const char *name)
{
    return ks_path_join(&arena, dir, name);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct ks_slice text;
    struct ks_err err;
    char *path = in_dir("a");
    assert_int_equal(ks_file_write(path, "x\0y", 3, true, 0, &err), KS_OK);
    assert_int_equal(ks_file_read(&arena, path, 3, &text, &err), KS_OK);
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.at, "x\0y", 4); // terminated
    assert_int_equal(ks_file_read(&arena, path, 2, &text, &err), KS_E_LIMIT);
    assert_int_equal(ks_file_read(&arena, in_dir("none"), 9, &text, &err), KS_E_ABSENT);
    assert_int_equal(ks_file_read(&arena, dir, 9, &text, &err), KS_E_IO);
    assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
    assert_int_equal(ks_file_read(&arena, in_dir("fifo"), 9, &text, &err), KS_E_IO);
    assert_int_equal(ks_file_write(in_dir("no/such"), "", 0, false, 0, &err), KS_E_ABSENT);
}

static void modes_follow_the_umask_or_the_caller(void **state)
{
    (void)state;
    struct stat info;
    mode_t old = umask(027);
    assert_int_equal(ks_file_write(in_dir("m1"), "x", 1, false, 0, NULL), KS_OK);
    assert_int_equal(ks_file_write(in_dir("m2"), "x", 1, false, 0600, NULL), KS_OK);
    umask(old);
    assert_int_equal(stat(in_dir("m1"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(stat(in_dir("m2"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void an_update_with_the_same_bytes_keeps_the_file(void **state)
{
    (void)state;
    struct stat before, after;
    char *path = in_dir("u");
    assert_int_equal(ks_file_update(path, "one", 3, NULL), KS_OK);
    struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(ks_file_update(path, "one", 3, NULL), KS_OK);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_mtime, 1000);
    assert_int_equal(after.st_ino, before.st_ino);
    const char *const others[] = {"two", "on", "one!", ""};
    for (size_t i = 0; i < 4; i++) {
        struct ks_slice text;
        assert_int_equal(ks_file_update(path, others[i], strlen(others[i]), NULL), KS_OK);
        assert_int_equal(ks_file_read(&arena, path, 9, &text, NULL), KS_OK);
        assert_true(ks_slice_eq(text, others[i]));
        assert_int_equal(stat(path, &after), 0);
        assert_int_not_equal(after.st_mtime, 1000);
    }
}

static void a_failed_write_leaves_nothing(void **state)
{
    (void)state;
    struct ks_strv names;
    assert_int_equal(ks_dir_make(in_dir("f/target"), NULL), KS_OK);
    assert_int_equal(ks_file_write(in_dir("f/target"), "x", 1, false, 0, NULL), KS_E_IO);
    assert_int_equal(ks_dir_list(&arena, in_dir("f"), &names, NULL), KS_OK);
    assert_int_equal(names.len, 1);
}

static void copies_keep_bytes_and_mode(void **state)
{
    (void)state;
    size_t n = 200000;
    char *data = ks_arena_alloc(&arena, n);
    for (size_t i = 0; i < n; i++)
        data[i] = (char)(i * 7);
    assert_int_equal(ks_file_write(in_dir("c1"), data, n, false, 0755, NULL), KS_OK);
    assert_int_equal(ks_file_copy(in_dir("c1"), in_dir("c2"), NULL), KS_OK);
    struct ks_slice text;
    struct stat info;
    assert_int_equal(ks_file_read(&arena, in_dir("c2"), n, &text, NULL), KS_OK);
    assert_int_equal(text.len, n);
    assert_memory_equal(text.at, data, n);
    assert_int_equal(stat(in_dir("c2"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0755);
    assert_int_equal(ks_file_copy(in_dir("none"), in_dir("c3"), NULL), KS_E_ABSENT);
}

static void directories_are_made_listed_and_removed(void **state)
{
    (void)state;
    struct ks_strv names;
    struct ks_err err;
    assert_int_equal(ks_dir_make(in_dir("d/e/f"), &err), KS_OK);
    assert_int_equal(ks_dir_make(in_dir("d/e/f"), &err), KS_OK);
    assert_int_equal(ks_file_write(in_dir("d/b"), "", 0, false, 0, &err), KS_OK);
    assert_int_equal(ks_file_write(in_dir("d/B"), "", 0, false, 0, &err), KS_OK);
    assert_int_equal(ks_dir_list(&arena, in_dir("d"), &names, &err), KS_OK);
    assert_int_equal(names.len, 3);
    assert_string_equal(names.at[0], "B");
    assert_string_equal(names.at[2], "e");
    assert_int_equal(ks_dir_make(in_dir("d/b/x"), &err), KS_E_IO);
    assert_int_equal(ks_dir_list(&arena, in_dir("zz"), &names, &err), KS_E_ABSENT);
    // A link out of the tree is removed, what it points to is not.
    assert_int_equal(symlink(in_dir("a"), in_dir("d/link")), 0);
    assert_int_equal(symlink(dir, in_dir("d/up")), 0);
    assert_int_equal(ks_file_write(in_dir("a"), "", 0, false, 0, &err), KS_OK);
    assert_int_equal(ks_tree_remove(in_dir("d"), &err), KS_OK);
    assert_false(ks_file_exists(in_dir("d")));
    assert_true(ks_file_exists(in_dir("a")));
    assert_int_equal(ks_tree_remove(in_dir("d"), &err), KS_OK);
    assert_int_equal(ks_tree_remove("relative", &err), KS_E_INTERNAL);
    assert_int_equal(ks_tree_remove("/", &err), KS_E_INTERNAL);
    assert_true(ks_is_dir(ks_program_dir(&arena)));
}

// A child that makes a folder for itself, says where, and waits to be killed.
static pid_t start_owner(char *path, size_t size)
{
    int tell[2];
    assert_int_equal(pipe(tell), 0);
    pid_t child = fork();
    if (child == 0) {
        char *own;
        if (ks_dir_temp(&arena, "ks-own", &own, NULL) != KS_OK ||
            ks_file_write(ks_path_join(&arena, own, "x"), "", 0, false, 0, NULL) != KS_OK ||
            write(tell[1], own, strlen(own)) < 0)
            _exit(1);
        ks_sleep(60);
        _exit(2);
    }
    close(tell[1]);
    ssize_t n = read(tell[0], path, size - 1);
    assert_true(n > 0);
    path[n] = '\0';
    close(tell[0]);
    return child;
}

static void folders_of_dead_processes_are_removed(void **state)
{
    (void)state;
    char *outside = ks_arena_strdup(&arena, getenv("TMPDIR") == NULL ? "" : getenv("TMPDIR"));
    char *tmp = in_dir("tmp"), *own, path[2][512];
    struct ks_strv names;
    struct stat info;
    int status;
    pid_t child[2];
    assert_int_equal(ks_dir_make(tmp, NULL), KS_OK);
    setenv("TMPDIR", tmp, 1);
    for (int i = 0; i < 2; i++)
        child[i] = start_owner(path[i], sizeof path[i]);
    kill(child[0], SIGKILL);
    assert_int_equal(waitpid(child[0], &status, 0), child[0]);
    assert_true(ks_file_exists(path[0]));
    assert_int_equal(ks_dir_temp(&arena, "ks-test", &own, NULL), KS_OK);
    assert_false(ks_file_exists(path[0]));
    assert_true(ks_file_exists(ks_path_join(&arena, path[1], "x"))); // its process lives
    assert_int_equal(stat(own, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(ks_tree_remove(own, NULL), KS_OK);
    kill(child[1], SIGKILL);
    assert_int_equal(waitpid(child[1], &status, 0), child[1]);
    assert_int_equal(ks_dir_temp(&arena, "ks-test", &own, NULL), KS_OK);
    assert_int_equal(ks_tree_remove(own, NULL), KS_OK);
    assert_int_equal(ks_dir_list(&arena, tmp, &names, NULL), KS_OK);
    assert_int_equal(names.len, 0); // the last one leaves nothing

    // A folder in the place of ours that others can write to: passed by and left alone.
    char *common = ks_arena_printf(&arena, "%s/ks-tmp-%lu", tmp, (unsigned long)geteuid());
    assert_int_equal(mkdir(common, 0), 0);
    assert_int_equal(chmod(common, 0777), 0);
    assert_int_equal(ks_dir_temp(&arena, "ks-test", &own, NULL), KS_OK);
    assert_string_equal(ks_path_dir(&arena, own), tmp);
    assert_int_equal(ks_tree_remove(own, NULL), KS_OK);
    assert_true(ks_is_dir(common));
    if (outside[0] != '\0')
        setenv("TMPDIR", outside, 1);
    else
        unsetenv("TMPDIR");
}

static void a_lock_excludes_another_process(void **state)
{
    (void)state;
    char *path = in_dir("lock");
    int ready[2], go[2];
    char c;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        struct ks_lock lock;
        if (ks_lock_take(path, 0, &lock, NULL) != KS_OK)
            _exit(1);
        if (write(ready[1], "r", 1) != 1 || read(go[0], &c, 1) != 1)
            _exit(2);
        ks_sleep(0.1);
        _exit(0); // without releasing: the kernel does
    }
    struct ks_lock lock;
    struct ks_err err;
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(ks_lock_take(path, 0, &lock, &err), KS_E_LIMIT);
    ks_lock_release(&lock);
    double started = ks_now();
    assert_int_equal(ks_lock_take(path, 0.05, &lock, &err), KS_E_LIMIT);
    assert_true(ks_now() - started >= 0.05);
    assert_int_equal(write(go[1], "g", 1), 1);
    assert_int_equal(ks_lock_take(path, -1, &lock, &err), KS_OK);
    ks_lock_release(&lock);
    ks_lock_release(&lock);
    assert_int_equal(ks_lock_take(path, 0, &lock, &err), KS_OK);
    ks_lock_release(&lock);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(ks_lock_take(in_dir("no/lock"), 0, &lock, &err), KS_E_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(modes_follow_the_umask_or_the_caller),
        cmocka_unit_test(an_update_with_the_same_bytes_keeps_the_file),
        cmocka_unit_test(a_failed_write_leaves_nothing),
        cmocka_unit_test(copies_keep_bytes_and_mode),
        cmocka_unit_test(directories_are_made_listed_and_removed),
        cmocka_unit_test(folders_of_dead_processes_are_removed),
        cmocka_unit_test(a_lock_excludes_another_process),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
