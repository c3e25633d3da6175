// The one kind of tar file: what is written is read back, by tar(1) too, and nothing else is read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fmt/tar.h"
#include "os/file.h"
#include "os/proc.h"

static struct ks_arena arena;

static int teardown(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

static struct ks_slice sample(void)
{
    struct ks_buf out = KS_BUF(1 << 20);
    char *block = ks_arena_alloc(&arena, 1024);
    memset(block, 'b', 1024);
    ks_tar_add(&out, "a", KS_SLICE("alpha\n"));
    ks_tar_add(&out, "d/empty", (struct ks_slice){"", 0});
    ks_tar_add(&out, "d/block", (struct ks_slice){block, 512});
    ks_tar_add(&out, "d/more", (struct ks_slice){block, 513});
    ks_tar_end(&out);
    assert_false(out.failed);
    struct ks_slice text = {ks_arena_memdup(&arena, out.data, out.len), out.len};
    ks_buf_free(&out);
    return text;
}

static enum ks_status read_it(struct ks_slice text, size_t most)
{
    struct ks_tar_entry *entries;
    size_t n;
    return ks_tar_read(&arena, text, most, &entries, &n, NULL);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct ks_slice text = sample(), again = sample();
    struct ks_tar_entry *e;
    size_t n;
    assert_int_equal(text.len, again.len);
    assert_memory_equal(text.at, again.at, text.len);
    assert_int_equal(ks_tar_read(&arena, text, 10, &e, &n, NULL), KS_OK);
    assert_int_equal(n, 4);
    assert_string_equal(e[0].name, "a");
    assert_int_equal(e[0].data.len, 6);
    assert_memory_equal(e[0].data.at, "alpha\n", 6);
    assert_string_equal(e[3].name, "d/more");
    assert_int_equal(e[3].data.len, 513);
    assert_int_equal(read_it(text, 4), KS_OK);
    assert_int_equal(read_it(text, 3), KS_E_LIMIT);

    struct ks_buf out = KS_BUF(1 << 20);
    char name[KS_TAR_NAME_MOST + 2] = "";
    memset(name, 'n', KS_TAR_NAME_MOST);
    ks_tar_add(&out, name, KS_SLICE("x"));
    assert_false(out.failed);
    ks_tar_end(&out);
    assert_int_equal(ks_tar_read(&arena, (struct ks_slice){out.data, out.len}, 9, &e, &n, NULL), KS_OK);
    assert_string_equal(e[0].name, name);
    name[KS_TAR_NAME_MOST] = 'n';
    ks_tar_add(&out, name, KS_SLICE("x"));
    assert_true(out.failed);
    ks_buf_free(&out);
}

static void tar_reads_it(void **state)
{
    (void)state;
    char *dir;
    struct ks_proc_result result;
    struct ks_slice text = sample(), file;
    assert_int_equal(ks_dir_temp(&arena, "ks-tar", &dir, NULL), KS_OK);
    const char *path = ks_path_join(&arena, dir, "x.tar");
    assert_int_equal(ks_file_write(path, text.at, text.len, false, 0, NULL), KS_OK);
    const char *const argv[] = {"tar", "-C", dir, "-xf", path, NULL};
    if (ks_proc_run(&arena, argv, NULL, &result, NULL) != KS_OK)
        skip();
    assert_int_equal(result.exit_code, 0);
    assert_int_equal(ks_file_read(&arena, ks_path_join(&arena, dir, "d/more"), 1000, &file, NULL), KS_OK);
    assert_int_equal(file.len, 513);
    assert_int_equal(ks_file_read(&arena, ks_path_join(&arena, dir, "a"), 1000, &file, NULL), KS_OK);
    assert_string_equal(file.at, "alpha\n");
    // And what tar writes is not what ks takes, whatever is in it.
    const char *const back[] = {"tar", "-C", dir, "--format=ustar", "-cf", path, "a", NULL};
    assert_int_equal(ks_proc_run(&arena, back, NULL, &result, NULL), KS_OK);
    assert_int_equal(ks_file_read(&arena, path, 1 << 20, &file, NULL), KS_OK);
    assert_int_equal(read_it(file, 10), KS_E_FORMAT);
    ks_tree_remove(dir, NULL);
}

static void every_other_file_is_refused(void **state)
{
    (void)state;
    struct ks_slice text = sample();
    for (size_t n = 0; n < text.len; n++)
        assert_int_equal(read_it((struct ks_slice){text.at, n}, 10), KS_E_FORMAT);
    char *longer = ks_arena_alloc(&arena, text.len + 512);
    memcpy(longer, text.at, text.len);
    assert_int_equal(read_it((struct ks_slice){longer, text.len + 1}, 10), KS_E_FORMAT);
    assert_int_equal(read_it((struct ks_slice){longer, text.len + 512}, 10), KS_E_FORMAT);
    // Each bit of each header, of the padding and of the end.
    for (size_t at = 0; at < text.len; at++) {
        bool data = (at >= 512 && at < 518) || (at >= 2048 && at < 2560) ||
                    (at >= 3072 && at < 3585);
        for (int bit = 0; bit < 8 && !data; bit++) {
            char *bad = ks_arena_memdup(&arena, text.at, text.len);
            bad[at] = (char)(bad[at] ^ 1 << bit);
            if (read_it((struct ks_slice){bad, text.len}, 10) != KS_E_FORMAT)
                fail_msg("byte %zu, bit %d", at, bit);
        }
        if (at % 64 == 0)
            ks_arena_free(&arena), text = sample();
    }
}

// A header that says what it likes, with a checksum that is right.
static struct ks_slice crafted(size_t at, const char *bytes, size_t n)
{
    struct ks_slice text = sample();
    char *bad = ks_arena_memdup(&arena, text.at, text.len);
    unsigned sum = 0;
    memcpy(bad + at, bytes, n);
    memset(bad + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++)
        sum += (unsigned char)bad[i];
    memcpy(bad + 148, ks_arena_printf(&arena, "%06o", sum), 7);
    return (struct ks_slice){bad, text.len};
}

static void crafted_headers_are_refused(void **state)
{
    (void)state;
    assert_int_equal(read_it(crafted(0, "a", 1), 10), KS_OK); // the crafting itself is right
    assert_int_equal(read_it(crafted(156, "1", 1), 10), KS_E_FORMAT); // hard link
    assert_int_equal(read_it(crafted(156, "2", 1), 10), KS_E_FORMAT); // symbolic link
    assert_int_equal(read_it(crafted(156, "5", 1), 10), KS_E_FORMAT); // folder
    assert_int_equal(read_it(crafted(156, "L", 1), 10), KS_E_FORMAT); // GNU's long name
    assert_int_equal(read_it(crafted(156, "x", 1), 10), KS_E_FORMAT); // pax
    assert_int_equal(read_it(crafted(156, "", 1), 10), KS_E_FORMAT);  // old file
    assert_int_equal(read_it(crafted(157, "/etc/passwd", 11), 10), KS_E_FORMAT);
    assert_int_equal(read_it(crafted(345, "../..", 5), 10), KS_E_FORMAT); // prefix
    assert_int_equal(read_it(crafted(100, "0004755", 7), 10), KS_E_FORMAT);
    assert_int_equal(read_it(crafted(124, "77777777777", 11), 10), KS_E_FORMAT); // 8 GiB
    assert_int_equal(read_it(crafted(124, "\x80\0\0\0\0\0\0\0\0\0\0\x06", 12), 10), KS_E_FORMAT);
    assert_int_equal(read_it(crafted(0, "\n", 1), 10), KS_E_FORMAT);
    assert_int_equal(read_it(crafted(0, "", 1), 10), KS_E_FORMAT); // no name
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, NULL, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(tar_reads_it),
        TEST(every_other_file_is_refused),
        TEST(crafted_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
