#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/rng.h"
#include "fmt/yaml.h"

static enum ks_status parse(struct ks_arena *arena, const char *text, struct ks_yaml **root,
                            struct ks_err *err)
{
    return ks_yaml_parse(arena, "f.yaml", ks_slice_of(text), root, err);
}

static void trees_keep_text_and_lines(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_yaml *root;
    struct ks_err err = {0};
    const char *text = "# comment\na: no\nb: [1, \"2\"]\nc:\n  - x: 0x10\n    y: |\n      l1\n     "
                       " l2\n  - {}\nd:\n";
    assert_int_equal(parse(&arena, text, &root, &err), KS_OK);
    assert_int_equal(root->kind, KS_YAML_MAP);
    assert_int_equal(root->len, 4);
    assert_string_equal(root->keys[2], "c");
    assert_string_equal(ks_yaml_text(root, "a", NULL), "no");
    assert_int_equal(ks_yaml_get(root, "a")->line, 2);
    const struct ks_yaml *b = ks_yaml_get(root, "b");
    assert_true(b->kind == KS_YAML_LIST && b->len == 2);
    assert_true(b->items[0].plain && !b->items[1].plain);
    const struct ks_yaml *c = ks_yaml_get(root, "c");
    assert_string_equal(ks_yaml_text(&c->items[0], "y", NULL), "l1\nl2\n");
    assert_int_equal(ks_yaml_get(&c->items[0], "y")->line, 6);
    assert_true(c->items[1].kind == KS_YAML_MAP && c->items[1].len == 0);
    assert_string_equal(ks_yaml_text(root, "d", NULL), "");
    assert_true(ks_yaml_get(root, "d")->plain);
    assert_null(ks_yaml_get(root, "e"));
    assert_null(ks_yaml_get(NULL, "e"));
    assert_string_equal(ks_yaml_text(root, "b", "other"), "other");
    assert_int_equal(parse(&arena, "# nothing\n", &root, &err), KS_OK);
    assert_true(root->kind == KS_YAML_MAP && root->len == 0);
    ks_arena_free(&arena);
}

static void what_is_not_supported_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *begins;
    } bad[] = {
        {"a: 1\nb: 2\na: 3\n", "f.yaml:3: key 'a' was given before, in line 1"},
        {"a: &x 1\n", "f.yaml:1: anchors"},
        {"a: 1\nb: *x\n", "f.yaml:2: "},
        {"a: !!int 1\n", "f.yaml:1: tags"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2: a second document"},
        {"a: 1\n b: 2\n", "f.yaml:2: "},
        {"a: [1, 2\n", "f.yaml:2: "},
        {"? [x]\n: 1\n", "f.yaml:1: a key must be"},
        {"a: \"x\\0y\"\n", "f.yaml:1: a text holds a NUL"},
        {"a: \xff\n", "f.yaml:1: not UTF-8"},
        {"a:\tb:\tc\n", "f.yaml:1: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ks_arena arena = {0};
        struct ks_yaml *root;
        struct ks_err err;
        assert_int_equal(parse(&arena, bad[i].text, &root, &err), KS_E_USER);
        if (strncmp(err.text, bad[i].begins, strlen(bad[i].begins)) != 0)
            fail_msg("'%s': %s", bad[i].text, err.text);
        ks_arena_free(&arena);
    }
}

static void hostile_texts_meet_a_bound(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_yaml *root;
    size_t n = (size_t)4 << 20;
    char *text = ks_arena_alloc(&arena, n + 2);
    memset(text, '[', 100);
    assert_int_equal(parse(&arena, text, &root, NULL), KS_E_LIMIT);
    text[0] = '[';
    for (size_t i = 1; i < n; i++)
        text[i] = i % 2 ? 'a' : ',';
    assert_int_equal(parse(&arena, text, &root, NULL), KS_E_LIMIT);
    memset(text, ' ', n + 1);
    assert_int_equal(parse(&arena, text, &root, NULL), KS_E_LIMIT);
    ks_arena_free(&arena);
}

static void unknown_keys_get_a_suggestion(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_yaml *root;
    struct ks_err err;
    const char *const known[] = {"file", "kernel", "optimize", NULL};
    assert_int_equal(parse(&arena, "file: x\n\noptimise:\n  - y\n", &root, &err), KS_OK);
    assert_int_equal(ks_yaml_known("f.yaml", root, known, &err), KS_E_USER);
    assert_string_equal(err.text, "f.yaml:3: unknown key 'optimise'; did you mean 'optimize'?");
    assert_int_equal(parse(&arena, "kernel: x\n", &root, &err), KS_OK);
    assert_int_equal(ks_yaml_known("f.yaml", root, known, &err), KS_OK);
    assert_int_equal(parse(&arena, "[x]\n", &root, &err), KS_OK);
    assert_int_equal(ks_yaml_known("f.yaml", root, known, &err), KS_E_USER);
    ks_arena_free(&arena);
}

static void the_writer_indents_and_quotes(void **state)
{
    (void)state;
    struct ks_buf out = KS_BUF(1 << 16);
    struct ks_yaml_writer w = {.out = &out};
    ks_yaml_put(&w, "format", "1");
    ks_yaml_begin_list(&w, "none");
    ks_yaml_end(&w);
    ks_yaml_put(&w, "source", "int x;\n\n  y\n");
    ks_yaml_begin_list(&w, "plan");
    ks_yaml_begin_map(&w, NULL);
    ks_yaml_put(&w, "kernel", "sum");
    ks_yaml_begin_list(&w, "args");
    ks_yaml_put(&w, NULL, "no");
    ks_yaml_putf(&w, NULL, "%d:%d", 1, 2);
    ks_yaml_put(&w, NULL, "n % 4 == 0 && aligned(x,16)");
    ks_yaml_put(&w, NULL, "it's: x");
    ks_yaml_end(&w);
    ks_yaml_end(&w);
    ks_yaml_begin_map(&w, NULL);
    ks_yaml_end(&w);
    ks_yaml_begin_list(&w, NULL);
    ks_yaml_put(&w, NULL, "\t");
    ks_yaml_put(&w, NULL, "");
    ks_yaml_end(&w);
    ks_yaml_end(&w);
    ks_yaml_begin_map(&w, "m");
    ks_yaml_put(&w, "k", "-1.5");
    ks_yaml_end(&w);
    assert_string_equal(ks_buf_text(&out), "format: 1\n"
                                           "none: []\n"
                                           "source: |\n"
                                           "  int x;\n"
                                           "\n"
                                           "    y\n"
                                           "plan:\n"
                                           "  - kernel: sum\n"
                                           "    args:\n"
                                           "      - 'no'\n"
                                           "      - '1:2'\n"
                                           "      - n % 4 == 0 && aligned(x,16)\n"
                                           "      - 'it''s: x'\n"
                                           "  - {}\n"
                                           "  - - \"\\t\"\n"
                                           "    - ''\n"
                                           "m:\n"
                                           "  k: -1.5\n");
    ks_buf_free(&out);
}

// The same value as map value, list item and key, at several depths, comes back.
static void round_trip(const char *value)
{
    struct ks_arena arena = {0};
    struct ks_buf out = KS_BUF(1 << 16);
    struct ks_yaml_writer w = {.out = &out};
    ks_yaml_put(&w, "top", value);
    ks_yaml_begin_list(&w, "list");
    ks_yaml_put(&w, NULL, value);
    ks_yaml_begin_map(&w, NULL);
    ks_yaml_put(&w, "first", value);
    ks_yaml_put(&w, value, value);
    ks_yaml_end(&w);
    ks_yaml_begin_list(&w, NULL);
    ks_yaml_put(&w, NULL, value);
    ks_yaml_end(&w);
    ks_yaml_end(&w);
    ks_yaml_put(&w, "after", "end");
    struct ks_yaml *root;
    struct ks_err err;
    if (parse(&arena, ks_buf_text(&out), &root, &err) != KS_OK)
        fail_msg("%s in:\n%s", err.text, ks_buf_text(&out));
    const struct ks_yaml *list = ks_yaml_get(root, "list");
    const char *const got[] = {ks_yaml_text(root, "top", NULL),
                               list->items[0].text,
                               ks_yaml_text(&list->items[1], "first", NULL),
                               list->items[1].keys[1],
                               list->items[1].items[1].text,
                               list->items[2].items[0].text};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        if (got[i] == NULL || strcmp(got[i], value) != 0)
            fail_msg("case %zu: '%s' became '%s' in:\n%s", i, value, got[i], ks_buf_text(&out));
    assert_string_equal(ks_yaml_text(root, "after", NULL), "end");
    ks_buf_free(&out);
    ks_arena_free(&arena);
}

static void written_texts_are_read_back(void **state)
{
    (void)state;
    static const char *const values[] = {
        "",
        " ",
        "no",
        "1:2",
        " leading",
        "trailing ",
        "a: b",
        "a #b",
        "#x",
        "- x",
        "-",
        "--",
        "---",
        "...",
        "?",
        "? x",
        ":",
        "x:",
        "[x]",
        "{x}",
        "*x",
        "&x",
        "!x",
        "|",
        ">",
        "%x",
        "@x",
        "`x",
        "'",
        "\"",
        "'x'",
        "~",
        "null",
        "0777",
        "0x1F",
        "1e3",
        "1_000",
        ".inf",
        "2026-01-31T12:00:00Z",
        "gr\xc3\xbc\xc3\x9f",
        "\xf0\x9f\x98\x80",
        "\xc2\x85",
        "\xe2\x80\xa8",
        "\xef\xbb\xbfx",
        "tab\there",
        "cr\rlf\r\n",
        "\x01\x7f",
        "one\ntwo",
        "one\ntwo\n",
        "one\n\n\n",
        "\none",
        "\n",
        "\n\n",
        "  indented\nless\n",
        "\tx\ny",
        "a\n \n",
        "a\n   ",
        "---\n...\n",
        "# x\ny\n",
        "a: |\n  b\n",
        "back\\slash \"q\"\n\x02",
        "-1",
        "-O3",
        "=",
        "<<",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        round_trip(values[i]);
    struct ks_rng rng;
    ks_rng_seed(&rng, 7);
    static const char *const pieces[] = {" ",  "\n", "\t", "a", "-", ":", "#",        "'",  "\"",
                                         "\\", "0",  "[",  "{", "|", ",", "\xc3\xa9", "\r", "\x1b",
                                         "?",  "!",  "&",  "*", "%", "@", "~"};
    for (int i = 0; i < 20000; i++) {
        char text[64] = "";
        for (uint64_t n = ks_rng_below(&rng, 10); n > 0; n--)
            strcat(text, pieces[ks_rng_below(&rng, sizeof pieces / sizeof *pieces)]);
        round_trip(text);
    }
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_buf out = KS_BUF(1 << 16);
    struct ks_yaml_writer w = {.out = &out};
    ks_yaml_put(&w, "x", "a\xff\xc3");
    struct ks_yaml *root;
    assert_int_equal(parse(&arena, ks_buf_text(&out), &root, NULL), KS_OK);
    assert_string_equal(ks_yaml_text(root, "x", NULL), "a\xef\xbf\xbd\xef\xbf\xbd");
    ks_buf_free(&out);
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_keep_text_and_lines),
        cmocka_unit_test(what_is_not_supported_is_refused_with_its_line),
        cmocka_unit_test(hostile_texts_meet_a_bound),
        cmocka_unit_test(unknown_keys_get_a_suggestion),
        cmocka_unit_test(the_writer_indents_and_quotes),
        cmocka_unit_test(written_texts_are_read_back),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
