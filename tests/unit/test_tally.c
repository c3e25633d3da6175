// What `ks stats` counts: nothing is lost or counted twice, whoever writes at the same time,
// whatever is cut short, however large the log grows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file.h"
#include "store/tally.h"

static struct ks_arena arena;
static char *base;
static struct ks_config config;

static int setup(void **state)
{
    (void)state;
    if (ks_dir_temp(&arena, "ks-tally", &base, NULL) != KS_OK)
        return -1;
    config = (struct ks_config){.cache_dir = ks_path_join(&arena, base, "cache")};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    ks_arena_free(&arena);
    return 0;
}

static struct ks_tally_kernel row(enum ks_reason reason, const char *kernel)
{
    return (struct ks_tally_kernel){.reason = reason,
                                    .kernel = kernel,
                                    .file = "/s/a.cu",
                                    .text = "why\nnot here",
                                    .line = 7,
                                    .arch = 90,
                                    .key = "ab"};
}

static void add(const char *build, const char *object, enum ks_reason reason)
{
    struct ks_tally_kernel one = row(reason, "k");
    ks_tally_add(&config, build, object, &one, 1);
}

static struct ks_tally read_all(void)
{
    struct ks_tally tally;
    struct ks_err err;
    if (ks_tally_read(&arena, &config, &tally, &err) != KS_OK)
        fail_msg("%s", err.text);
    return tally;
}

static const char *file_of(const char *name)
{
    return ks_path_join(&arena, config.cache_dir, ks_arena_printf(&arena, "tally/%s", name));
}

static long size_of(const char *name)
{
    struct stat st;
    return stat(file_of(name), &st) == 0 ? (long)st.st_size : -1;
}

static void latest_compile_of_an_object_is_its_state(void **state)
{
    (void)state;
    struct ks_tally t = read_all();
    assert_int_equal(t.n_builds, 0);
    assert_string_equal(t.since, "");
    struct ks_tally_kernel two[] = {row(KS_R_PENDING, "k"), row(KS_R_PRINTF, "l\tm")};
    ks_tally_add(&config, "one", "/o/a.o", two, 2);
    add("one", "/o/b.o", KS_R_APPLIED);
    add("two", "/o/a.o", KS_R_APPLIED);
    t = read_all();
    assert_int_equal(t.counts[KS_R_PENDING], 1);
    assert_int_equal(t.counts[KS_R_APPLIED], 2);
    assert_int_equal(t.n_builds, 2);
    assert_string_equal(t.builds[0].name, "two");
    assert_int_equal(t.builds[1].n, 3);
    assert_int_equal(strlen(t.since), 20);

    // Compiled again with a kernel less: the other is gone, its count is not.
    add("one", "/o/a.o", KS_R_APPLIED);
    t = read_all();
    assert_string_equal(t.builds[0].name, "one");
    assert_int_equal(t.builds[0].n, 2);
    assert_int_equal(t.counts[KS_R_PENDING], 1);
    assert_int_equal(t.counts[KS_R_PRINTF], 1);
    const struct ks_tally_kernel *k = &t.builds[0].kernels[0];
    assert_string_equal(k->object, "/o/a.o");
    assert_int_equal(k->reason, KS_R_APPLIED);
    assert_string_equal(k->text, "why");
    assert_string_equal(k->file, "/s/a.cu");
    assert_string_equal(k->key, "ab");
    assert_int_equal(k->line, 7);
    assert_int_equal(k->arch, 90);
}

static void cut_lines_do_not_count(void **state)
{
    (void)state;
    add("b", "/o/a.o", KS_R_APPLIED);
    long whole = size_of("log");
    for (long cut = 1; cut < whole; cut += 5) {
        assert_int_equal(truncate(file_of("log"), whole - cut), 0);
        add("b", "/o/c.o", KS_R_MALLOC);
        struct ks_tally t = read_all();
        assert_int_equal(t.counts[KS_R_MALLOC], 1);
        assert_int_equal(t.counts[KS_R_APPLIED], cut == 1); // only the newline was gone
        assert_int_equal(ks_tally_zero(&config, NULL), KS_OK);
        add("b", "/o/a.o", KS_R_APPLIED);
        whole = size_of("log");
    }
}

// 64 processes, more than the log holds before it is folded, several times over.
static void parallel_writers_lose_nothing(void **state)
{
    (void)state;
    enum { WRITERS = 64, EACH = 150 };
    pid_t pids[WRITERS];
    char text[201] = {0};
    memset(text, 'x', 200);
    for (int w = 0; w < WRITERS; w++) {
        pids[w] = fork();
        if (pids[w] == 0) {
            char object[32];
            struct ks_tally_kernel two[] = {row(KS_R_PENDING, "k"), row(KS_R_PRINTF, "l")};
            two[0].text = two[1].text = text;
            snprintf(object, sizeof object, "/o/%d.o", w);
            for (int i = 0; i < EACH; i++)
                ks_tally_add(&config, "b", object, two, 2);
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; w++)
        assert_int_equal(waitpid(pids[w], NULL, 0), pids[w]);
    struct ks_tally t = read_all();
    assert_int_equal(t.counts[KS_R_PENDING], WRITERS * EACH);
    assert_int_equal(t.counts[KS_R_PRINTF], WRITERS * EACH);
    assert_int_equal(t.n_builds, 1);
    assert_int_equal(t.builds[0].n, 2 * WRITERS);
}

static void log_is_bounded(void **state)
{
    (void)state;
    char text[301] = {0};
    memset(text, 'x', 300);
    struct ks_tally_kernel one = row(KS_R_TEXTURE, "k");
    one.text = text;
    for (int i = 0; i < 20000; i++) { // 8 MB
        ks_tally_add(&config, "b", ks_arena_printf(&arena, "/o/%d.o", i % 50), &one, 1);
        assert_true(size_of("log") + size_of("log.1") + size_of("totals") < (2 << 20) + (1 << 17));
    }
    struct ks_tally t = read_all();
    assert_int_equal(t.counts[KS_R_TEXTURE], 20000);
    assert_int_equal(t.builds[0].n, 50);
}

// Killed between writing totals and putting the log in its place: what totals has does not count
// again.
static void killed_while_folding_counts_once(void **state)
{
    (void)state;
    char text[301] = {0};
    memset(text, 'x', 300);
    struct ks_tally_kernel one = row(KS_R_CLUSTER, "k");
    struct ks_slice first = {0};
    one.text = text;
    long n = 0;
    for (int folds = 0; folds < 2; n++) {
        ks_tally_add(&config, "b", "/o/a.o", &one, 1);
        if (size_of("log") >= 0)
            continue;
        if (folds++ == 0)
            assert_int_equal(ks_file_read(&arena, file_of("log.1"), 1 << 26, &first, NULL), KS_OK);
    }
    assert_true(size_of("totals") > 0);
    assert_int_equal(read_all().counts[KS_R_CLUSTER], n);

    assert_int_equal(rename(file_of("log.1"), file_of("log")), 0);
    assert_int_equal(ks_file_write(file_of("log.1"), first.at, first.len, false, 0, NULL), KS_OK);
    assert_int_equal(read_all().counts[KS_R_CLUSTER], n);
    ks_tally_add(&config, "b", "/o/a.o", &one, 1);
    assert_int_equal(size_of("log"), -1); // folded again
    assert_int_equal(read_all().counts[KS_R_CLUSTER], n + 1);
}

static void builds_whose_folder_is_gone_are_left_out(void **state)
{
    (void)state;
    char *build = ks_path_join(&arena, base, "build");
    assert_int_equal(ks_dir_make(build, NULL), KS_OK);
    add(build, "/o/a.o", KS_R_APPLIED);
    assert_int_equal(read_all().n_builds, 1);
    assert_int_equal(rmdir(build), 0);
    struct ks_tally t = read_all();
    assert_int_equal(t.n_builds, 0);
    assert_int_equal(t.counts[KS_R_APPLIED], 1);
}

static void nothing_is_written_where_it_must_not_be(void **state)
{
    (void)state;
    struct ks_err err;
    config.readonly = true;
    add("b", "/o/a.o", KS_R_APPLIED);
    assert_int_equal(ks_tally_zero(&config, &err), KS_E_IO);
    assert_false(ks_is_dir(config.cache_dir));
    config.readonly = false;
    add("b", "/o/a.o", KS_R_APPLIED);
    unlink(file_of("lock"));
    config.readonly = true;
    assert_int_equal(read_all().counts[KS_R_APPLIED], 1);
    assert_false(ks_file_exists(file_of("lock")));
    config.cache_dir = NULL;
    assert_int_equal(read_all().n_builds, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(latest_compile_of_an_object_is_its_state),
        TEST(cut_lines_do_not_count),
        TEST(parallel_writers_lose_nothing),
        TEST(log_is_bounded),
        TEST(killed_while_folding_counts_once),
        TEST(builds_whose_folder_is_gone_are_left_out),
        TEST(nothing_is_written_where_it_must_not_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
