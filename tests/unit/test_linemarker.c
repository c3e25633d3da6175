// Which files preprocessed text says it was made of.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nvcc/linemarker.h"

static struct ks_arena arena;

static void expect(const char *text, const char *joined)
{
    struct ks_strv files = {0};
    const char *found = "";
    ks_line_markers(&arena, ks_slice_of(text), &files);
    for (size_t i = 0; i < files.len; i++)
        found = ks_arena_printf(&arena, "%s%s|", found, files.at[i]);
    assert_string_equal(found, joined);
}

static void takes_what_is_entered(void **state)
{
    (void)state;
    // gcc 12 of a file that includes another twice, with a #line of its own.
    expect("# 0 \"a.cu\"\n# 0 \"<built-in>\"\n# 0 \"<command-line>\"\n"
           "# 1 \"/usr/include/stdc-predef.h\" 1 3 4\n# 0 \"<command-line>\" 2\n# 1 \"a.cu\"\n"
           "# 1 \"b.h\" 1\nint b;\n# 1 \"sub/c.h\" 1\n# 2 \"b.h\" 2\n# 2 \"a.cu\" 2\n"
           "# 7 \"grammar.y\"\n# 1 \"b.h\" 1\n# 9 \"grammar.y\" 2\n",
           "/usr/include/stdc-predef.h|b.h|sub/c.h|");
}

static void reads_names_as_compilers_write_them(void **state)
{
    (void)state;
    expect("# 1 \"with blank.h\" 1\n# 1 \"q\\\"\\\\.h\" 1\n# 1 \"\\303\\244.h\" 1 3\n",
           "with blank.h|q\"\\.h|\xc3\xa4.h|");
}

static void other_text_is_no_marker(void **state)
{
    (void)state;
    expect("", "");
    expect("# 1 \"<built-in>\" 1\n# 1 \"<command line>\" 1\n", "");
    expect("#pragma once\n# pragma x \"a\" 1\nx # 1 \"b\" 1\n# 1 \"c\" 2\n# 1 \"d\"", "");
    expect("# 1 \"unfinished", "");
    expect("# 1 \"two\nlines\" 1\n# 1 \"end\\", "");
}

static int reset(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(takes_what_is_entered, reset),
        cmocka_unit_test_teardown(reads_names_as_compilers_write_them, reset),
        cmocka_unit_test_teardown(other_text_is_no_marker, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
