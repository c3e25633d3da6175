// Pending kernels: last entry of a key and file counts, cut lines are skipped, parallel writers
// lose nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file.h"
#include "store/pending.h"

static struct ks_arena arena;
static char *base;
static struct ks_config config;

static int setup(void **state)
{
    (void)state;
    if (ks_dir_temp(&arena, "ks-pending", &base, NULL) != KS_OK)
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

static struct ks_pending item(unsigned char key, const char *file)
{
    static const char *argv[] = {"-c", "-DQ=\"a b\"", "a.cu", NULL};
    return (struct ks_pending){.key = {{key}},
                               .kernel = "ns::k<float,256>",
                               .file = file,
                               .cwd = "/build",
                               .argv = argv,
                               .arch = 90};
}

static void add(unsigned char key, const char *file)
{
    struct ks_pending one = item(key, file);
    struct ks_err err;
    if (ks_pending_add(&config, &one, &err) != KS_OK)
        fail_msg("%s", err.text);
}

static size_t list(struct ks_pending **items)
{
    size_t n;
    struct ks_err err;
    if (ks_pending_list(&arena, &config, items, &n, &err) != KS_OK)
        fail_msg("%s", err.text);
    return n;
}

static size_t log_size(const char *name)
{
    struct ks_slice text;
    const char *path = ks_path_join(&arena, config.cache_dir, name);
    assert_int_equal(ks_file_read(&arena, path, 1 << 26, &text, NULL), KS_OK);
    return text.len;
}

static void last_entry_of_a_place_counts(void **state)
{
    (void)state;
    struct ks_pending *items;
    assert_int_equal(list(&items), 0);
    add(1, "/a.cu");
    add(2, "/b.cu");
    struct ks_pending again = item(1, "/a.cu");
    static const char *other[] = {"-O1", "a.cu", NULL};
    again.argv = other;
    assert_int_equal(ks_pending_add(&config, &again, NULL), KS_OK);
    assert_int_equal(list(&items), 2);
    assert_string_equal(items[0].file, "/b.cu");
    assert_string_equal(items[0].kernel, "ns::k<float,256>");
    assert_string_equal(items[0].argv[1], "-DQ=\"a b\"");
    assert_null(items[0].argv[3]);
    assert_int_equal(items[0].arch, 90);
    assert_string_equal(items[1].argv[0], "-O1");

    // Met again unchanged by each build: the log does not grow.
    size_t before = log_size("pending");
    assert_int_equal(ks_pending_add(&config, &again, NULL), KS_OK);
    add(2, "/b.cu");
    assert_int_equal(log_size("pending"), before);

    struct ks_digest key = {{1}};
    ks_pending_remove(&config, &key);
    assert_int_equal(list(&items), 1);
    assert_int_equal(ks_pending_add(&config, &again, NULL), KS_OK); // the same line, met anew
    assert_int_equal(list(&items), 2);
}

// A second unit with the key (a kernel in a header) neither replaces the first nor is forgotten.
static void a_key_keeps_several_places(void **state)
{
    (void)state;
    struct ks_pending *items;
    add(1, "/a.cu");
    add(2, "/b.cu");
    add(1, "/c.cu");
    assert_int_equal(list(&items), 3);
    assert_int_equal(ks_pending_keys(items, 3), 2);
    assert_true(ks_pending_first(items, 0));
    assert_false(ks_pending_first(items, 2));
    ks_pending_gone(&config, &items[0]);
    assert_int_equal(list(&items), 2);
    assert_string_equal(items[1].file, "/c.cu");
    add(1, "/a.cu");
    assert_int_equal(list(&items), 3);
    // A thousand units leave a few.
    for (int i = 0; i < 30; i++)
        add(1, ks_arena_printf(&arena, "/%d.cu", i));
    size_t n = list(&items);
    assert_in_range(n, 3, 6);
    size_t before = log_size("pending");
    add(1, "/31.cu");
    assert_int_equal(log_size("pending"), before);
    struct ks_digest key = {{1}};
    ks_pending_remove(&config, &key);
    assert_int_equal(list(&items), 1);
}

static void cut_lines_are_skipped(void **state)
{
    (void)state;
    struct ks_pending *items;
    add(1, "/a.cu");
    add(2, "/b.cu");
    const char *path = ks_path_join(&arena, config.cache_dir, "pending");
    size_t whole = log_size("pending");
    for (size_t cut = 1; cut < 60; cut += 7) {
        assert_int_equal(truncate(path, (off_t)(whole - cut)), 0);
        // Without its newline the line is whole; with less it is garbage.
        assert_int_equal(list(&items), cut == 1 ? 2 : 1);
        add(2, cut == 1 ? "/c.cu" : "/b.cu"); // begins a line of its own
        assert_int_equal(list(&items), cut == 1 ? 3 : 2);
        assert_int_equal(truncate(path, 0), 0);
        add(1, "/a.cu");
        add(2, "/b.cu");
        assert_int_equal(log_size("pending"), whole);
    }
    assert_int_equal(ks_file_write(path, "not json\n{\"key\":\"zz\"}\n\n[1]\n", 28, false, 0, NULL),
                     KS_OK);
    assert_int_equal(list(&items), 0);
}

static void parallel_writers_lose_nothing(void **state)
{
    (void)state;
    enum { WRITERS = 8, EACH = 20 };
    pid_t pids[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        pids[w] = fork();
        if (pids[w] == 0) {
            for (int i = 0; i < EACH; i++) {
                struct ks_pending one = item((unsigned char)(w * EACH + i), "/a.cu");
                ks_pending_add(&config, &one, NULL);
            }
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; w++)
        assert_int_equal(waitpid(pids[w], NULL, 0), pids[w]);
    struct ks_pending *items;
    assert_int_equal(list(&items), WRITERS * EACH);
}

static void big_log_is_compacted(void **state)
{
    (void)state;
    char *file = ks_arena_alloc(&arena, 40001);
    memset(file, 'x', 40000);
    for (int i = 0; i < 40; i++) { // 1.6 MB in all
        file[0] = (char)('a' + i % 26);
        file[1] = (char)('a' + i / 26);
        struct ks_digest key = {{1}};
        ks_pending_remove(&config, &key);
        add(1, file);
    }
    assert_true(log_size("pending") < 1200000);
    struct ks_pending *items;
    assert_int_equal(list(&items), 1);
    assert_string_equal(items[0].file, file);
}

static void nothing_is_written_where_it_must_not_be(void **state)
{
    (void)state;
    struct ks_pending one = item(1, "/a.cu"), *items;
    struct ks_digest key = {{1}};
    struct ks_err err;
    size_t n;
    config.readonly = true;
    assert_int_equal(ks_pending_add(&config, &one, &err), KS_E_IO);
    assert_non_null(strstr(err.text, config.cache_dir));
    ks_pending_gone(&config, &one);
    ks_pending_remove(&config, &key);
    assert_false(ks_is_dir(config.cache_dir));
    config = (struct ks_config){0};
    assert_int_equal(ks_pending_add(&config, &one, &err), KS_E_IO);
    assert_int_equal(ks_pending_list(&arena, &config, &items, &n, &err), KS_OK);
    assert_int_equal(n, 0);
}

static void names_outside_utf8_are_told(void **state)
{
    (void)state;
    struct ks_pending one = item(1, "/\xff.cu");
    struct ks_err err;
    assert_int_equal(ks_pending_add(&config, &one, &err), KS_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "UTF-8"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(last_entry_of_a_place_counts), TEST(a_key_keeps_several_places),
        TEST(cut_lines_are_skipped),        TEST(parallel_writers_lose_nothing),
        TEST(big_log_is_compacted),         TEST(nothing_is_written_where_it_must_not_be),
        TEST(names_outside_utf8_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
