// Edits of YAML texts by whole lines: what is not meant to change stays byte for byte, and what is
// written in another way is left alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "fmt/yaml_edit.h"

static struct ks_arena arena;

static int teardown(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

enum edit { ADD, REMOVE, SET };

static enum ks_status edit(enum edit how, const char *text, const char *item, const char **out)
{
    struct ks_slice result = {0};
    struct ks_err err = {0};
    enum ks_status status =
        how == ADD      ? ks_yaml_list_add(&arena, "f", ks_slice_of(text), "k", item, &result, &err)
        : how == REMOVE ? ks_yaml_list_remove(&arena, "f", ks_slice_of(text), "k", item, &result, &err)
                        : ks_yaml_set(&arena, "f", ks_slice_of(text), "k", item, &result, &err);
    *out = result.at;
    if (status != KS_OK)
        assert_non_null(strstr(err.text, "f: `"));
    return status;
}

struct row {
    const char *text, *item, *expected; // expected NULL: left alone
};

static void run(enum edit how, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *out;
        enum ks_status status = edit(how, rows[i].text, rows[i].item, &out);
        if (rows[i].expected == NULL) {
            if (status != KS_E_UNSUPPORTED)
                fail_msg("%s: %s", rows[i].text, ks_status_name(status));
            continue;
        }
        if (status != KS_OK)
            fail_msg("%s: %s", rows[i].text, ks_status_name(status));
        assert_string_equal(out, rows[i].expected);
    }
}
#define RUN(how, rows) run(how, rows, sizeof rows / sizeof *(rows))

static void items_are_added_at_the_end_of_their_list(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"", "a", "k:\n  - a\n"},
        {"# only a comment", "a", "# only a comment\nk:\n  - a\n"},
        {"x: 1 # one\n", "a", "x: 1 # one\nk:\n  - a\n"},
        {"x: 1", "a", "x: 1\nk:\n  - a\n"},
        {"k:\n  - z # last\n\n# tail\nx: 1\n", "a", "k:\n  - z # last\n  - a\n\n# tail\nx: 1\n"},
        {"k:\n- 'z'\nx:   [1,2]\n", "a", "k:\n- 'z'\n- a\nx:   [1,2]\n"},
        {"k:\n    - y\n    - z", "a", "k:\n    - y\n    - z\n    - a\n"},
        {"k: # none yet\nx: {b: 1}\n", "a", "k: # none yet\n  - a\nx: {b: 1}\n"},
        {"k: []   # none\nx: 1\n", "a", "k:   # none\n  - a\nx: 1\n"},
        {"k:\r\n  - z\r\nx: 1\r\n", "a", "k:\r\n  - z\r\n  - a\r\nx: 1\r\n"},
        {"k: [z]\n", "a", NULL},
        {"{k: [z]}\n", "a", NULL},
        {"{}\n", "a", NULL},
        {"- k\n", "a", NULL},
        {"k: text\n", "a", NULL},
        {"k:\n  z: 1\n", "a", NULL},
        {"k:\n  - |\n    z\n", "a", NULL}, // an item of several lines ends somewhere else
        {"x: |\n  text\n   more\nk:\n", "a", "x: |\n  text\n   more\nk:\n  - a\n"},
        {"x: |\n  text\n  # no comment, text", "a", NULL}, // a newline would become part of it
        {"---\nx: 1\n...\n", "a", NULL},
    };
    RUN(ADD, rows);
}

static void items_are_removed_with_their_line(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"k:\n  - a # who\n  - b\n", "a", "k:\n  - b\n"},
        {"# t\nk:\n  - b\n  # c\n  - \"a\"\nx: 1\n", "a", "# t\nk:\n  - b\n  # c\nx: 1\n"},
        {"k:\n  - a\nx: 1\n", "a", "k:\nx: 1\n"},
        {"k:\n  - a\n  - b\n  - a", "a", "k:\n  - b\n"},
        {"k: [a]\n", "a", NULL},
        {"k: [a, b]\n", "a", NULL},
    };
    const char *out;
    RUN(REMOVE, rows);
    assert_int_equal(edit(REMOVE, "k:\n  - ab\n", "a", &out), KS_E_ABSENT);
    assert_int_equal(edit(REMOVE, "x: a\n", "a", &out), KS_E_ABSENT);
    assert_int_equal(edit(REMOVE, "", "a", &out), KS_E_ABSENT);
}

static void scalars_are_set_in_their_place(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"", "a", "k: a\n"},
        {"x: 1 # one\n", "a", "x: 1 # one\nk: a\n"},
        {"k: b  # why\nx: 1\n", "a", "k: a  # why\nx: 1\n"},
        {"k: 'b c'\n", "a", "k: a\n"},
        {"k: \"b\" # c\n", "a: b", "k: 'a: b' # c\n"},
        {"x: 1\nk: 5m\n", NULL, "x: 1\n"},
        {"k: [b]\n", "a", NULL},
        {"k:\n  b\n", "a", NULL},
        {"k: |\n  b\n", "a", NULL},
        {"{k: b}\n", NULL, ""},
        {"{k: b, x: 1}\n", NULL, NULL},
    };
    const char *out;
    RUN(SET, rows);
    assert_int_equal(edit(SET, "x: 1\n", NULL, &out), KS_E_ABSENT);
}

// Texts put together at random: an edit either says that it cannot, or adds one line and takes it back.
static void adding_and_removing_leave_what_was_there(void **state)
{
    (void)state;
    static const char *const parts[] = {"x: 1\n", "# note\n", "\n", "k:\n", "  - z\n", "  - 'y' # b\n",
                                        "- w\n", "s:\n  - |\n    k:\n", "m: {k: [1]}\n", "k: []\n",
                                        "  # in\n", "t: |\n  - z\n", "k: [z]\n"};
    struct ks_rng rng;
    int edited = 0;
    ks_rng_seed(&rng, 20261121);
    for (int round = 0; round < 4000; round++) {
        struct ks_buf text = KS_BUF(4096);
        struct ks_yaml *root;
        for (uint64_t n = 1 + ks_rng_below(&rng, 7); n > 0; n--)
            ks_buf_puts(&text, parts[ks_rng_below(&rng, sizeof parts / sizeof *parts)]);
        const char *before = ks_arena_strdup(&arena, ks_buf_text(&text)), *added, *back;
        ks_buf_free(&text);
        if (ks_yaml_parse(&arena, "f", ks_slice_of(before), &root, NULL) != KS_OK ||
            edit(ADD, before, "q", &added) != KS_OK)
            continue;
        edited++;
        assert_int_equal(edit(REMOVE, added, "q", &back), KS_OK);
        if (strstr(before, "k:") == NULL || ks_yaml_get(root, "k") == NULL)
            assert_string_equal(back, ks_arena_printf(&arena, "%sk:\n", before));
        else if (strstr(before, "k: []") == NULL)
            assert_string_equal(back, before);
        ks_arena_free(&arena);
    }
    assert_true(edited > 500);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, NULL, teardown)
    const struct CMUnitTest tests[] = {
        TEST(items_are_added_at_the_end_of_their_list),
        TEST(items_are_removed_with_their_line),
        TEST(scalars_are_set_in_their_place),
        TEST(adding_and_removing_leave_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
