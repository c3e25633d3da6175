#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static void buffers_stop_at_their_maximum(void **state)
{
    (void)state;
    struct ks_buf buf = KS_BUF(10);
    ks_buf_puts(&buf, "12345");
    ks_buf_printf(&buf, "%d", 67890);
    assert_int_equal(ks_buf_check(&buf, "it", NULL), KS_OK);
    ks_buf_putc(&buf, 'x');
    struct ks_err err;
    assert_int_equal(ks_buf_check(&buf, "the answer", &err), KS_E_LIMIT);
    assert_string_equal(err.text, "the answer is longer than 10 bytes");
    assert_string_equal(ks_buf_text(&buf), "1234567890");
    ks_buf_clear(&buf);
    assert_int_equal(ks_buf_check(&buf, "it", NULL), KS_OK);
    assert_string_equal(ks_buf_text(&buf), "");
    ks_buf_free(&buf);
}

static void buffers_hold_bytes_and_long_formats(void **state)
{
    (void)state;
    struct ks_buf buf = KS_BUF(1 << 20);
    ks_buf_add(&buf, "a\0b", 3);
    assert_int_equal(buf.len, 3);
    ks_buf_printf(&buf, "%5000d", 1);
    assert_int_equal(buf.len, 5003);
    assert_int_equal(buf.data[5003], 0);
    char *text = ks_buf_take(&buf);
    assert_int_equal(text[2], 'b');
    free(text);
    assert_null(buf.data);
    text = ks_buf_take(&buf);
    assert_string_equal(text, "");
    free(text);
}

static void integers_are_whole_texts(void **state)
{
    (void)state;
    int64_t v = 5;
    assert_true(ks_parse_i64("-9223372036854775808", &v) && v == INT64_MIN);
    assert_true(ks_parse_i64("0x10", &v) && v == 16);
    assert_true(ks_parse_i64("007", &v) && v == 7);
    const char *const bad[] = {"",     " 1",  "1 ",  "9223372036854775808",
                               "0x",   "1e3", "--1", "+-1",
                               "0x-1", "-",   "1.0", "abc"};
    v = 5;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ks_parse_i64(bad[i], &v));
    assert_int_equal(v, 5);
}

static void reals_are_finite_whole_texts(void **state)
{
    (void)state;
    double v = 0;
    assert_true(ks_parse_f64("-1.5e-3", &v) && v == -1.5e-3);
    assert_true(ks_parse_f64(".5", &v) && v == 0.5);
    const char *const bad[] = {"", "1e999", "nan", "inf", "-inf", " 1", "1x", ".", "1,5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ks_parse_f64(bad[i], &v));
}

static void texts_are_cut_at_words(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *text, *out;
    } cases[] = {{15, "on k.cu:55 hotly", "on k.cu:55 ..."}, {16, "at k.cu:55, hot", "at k.cu:55, hot"},
                 {12, "at k.cu:55, hot", "at ..."},         {8, "0123456789", "012 ..."},
                 {8, "", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[32];
        ks_text_fit(out, cases[i].size, cases[i].text);
        assert_true(strlen(out) < cases[i].size);
        assert_string_equal(out, cases[i].out);
    }
}

static void paths_are_taken_apart_and_joined(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    assert_string_equal(ks_path_base("a/b.cu"), "b.cu");
    assert_string_equal(ks_path_base("b.cu"), "b.cu");
    assert_string_equal(ks_path_dir(&arena, "b.cu"), ".");
    assert_string_equal(ks_path_dir(&arena, "/b.cu"), "/");
    assert_string_equal(ks_path_dir(&arena, "a//b.cu"), "a");
    assert_string_equal(ks_path_dir(&arena, "/a/b/c"), "/a/b");
    assert_string_equal(ks_path_join(&arena, "a", "b"), "a/b");
    assert_string_equal(ks_path_join(&arena, "a/", "b"), "a/b");
    assert_string_equal(ks_path_join(&arena, "a", "/b"), "/b");
    assert_string_equal(ks_path_join(&arena, "", "b"), "b");
    ks_arena_free(&arena);
}

static void slices_compare_and_trim(void **state)
{
    (void)state;
    assert_true(ks_slice_eq(ks_slice_trim(KS_SLICE(" \t ab \n")), "ab"));
    assert_true(ks_slice_eq(ks_slice_trim(KS_SLICE("  ")), ""));
    assert_true(ks_slice_eq(ks_slice_of(NULL), ""));
    assert_false(ks_slice_eq(KS_SLICE("ab"), "abc"));
    assert_true(ks_starts_with("--ks-x", "--ks-") && !ks_starts_with("--k", "--ks-"));
    assert_true(ks_ends_with("a.cu", ".cu") && !ks_ends_with("cu", ".cu"));
}

static void suggestions_are_close(void **state)
{
    (void)state;
    const char *const words[] = {"optimize", "workload", "off", "in", "inout", NULL};
    assert_string_equal(ks_nearest_word("optimise", words), "optimize");
    assert_string_equal(ks_nearest_word("wrokload", words), "workload");
    assert_string_equal(ks_nearest_word("of", words), "off");
    assert_null(ks_nearest_word("elephant", words));
    assert_null(ks_nearest_word("xy", words)); // two edits from "in", but nothing in common
    assert_null(ks_nearest_word("", words));
}

static void lists_are_terminated(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_strv list = {0};
    for (size_t i = 0; i < 100; i++) {
        ks_strv_add(&arena, &list, "x");
        assert_int_equal(list.len, i + 1);
        assert_null(list.at[list.len]);
    }
    ks_arena_free(&arena);
}

static void errors_keep_their_contract(void **state)
{
    (void)state;
    struct ks_err err;
    assert_int_equal(ks_err_set(&err, KS_E_USER, "a.cu:%d: it's\nbad", 3), KS_E_USER);
    assert_string_equal(err.text, "a.cu:3: it's bad");
    assert_int_equal(ks_err_prefix(&err, "%s", "while reading"), KS_E_USER);
    assert_string_equal(err.text, "while reading: a.cu:3: it's bad");
    errno = ENOENT;
    assert_int_equal(ks_err_errno(&err, "open %s", "f"), KS_E_ABSENT);
    assert_string_equal(err.text, "open f: No such file or directory");
    errno = EACCES;
    assert_int_equal(ks_err_errno(NULL, "open"), KS_E_IO);
    for (int i = 0; i < 100; i++)
        ks_err_prefix(&err, "%s", "a long chain of contexts");
    assert_int_equal(strlen(err.text), KS_ERR_TEXT - 1);
    assert_string_equal(ks_status_name(KS_E_TRUST), "trust");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_stop_at_their_maximum),
        cmocka_unit_test(buffers_hold_bytes_and_long_formats),
        cmocka_unit_test(integers_are_whole_texts),
        cmocka_unit_test(reals_are_finite_whole_texts),
        cmocka_unit_test(texts_are_cut_at_words),
        cmocka_unit_test(paths_are_taken_apart_and_joined),
        cmocka_unit_test(slices_compare_and_trim),
        cmocka_unit_test(suggestions_are_close),
        cmocka_unit_test(lists_are_terminated),
        cmocka_unit_test(errors_keep_their_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
