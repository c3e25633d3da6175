#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/file.h"
#include "source/closure.h"

static struct ks_arena arena;
static char *root;

static void put(const char *name, const char *text)
{
    const char *path = ks_path_join(&arena, root, name);
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
}

// Paths found, space-separated, a '!' behind those that may hold a mark.
static const char *closure(const char *tu, const char *const *quote, const char *const *include)
{
    struct ks_source_list files;
    struct ks_err err = {0};
    if (ks_closure_read(&arena, tu, quote, include, &files, &err) != KS_OK)
        return ks_status_name(err.status);
    const char *out = "";
    ks_vec_each (struct ks_source_file, f, &files)
        out = ks_arena_printf(&arena, "%s%s%s%s", out, *out ? " " : "", f->path,
                              f->may_have_mark ? "!" : "");
    return out;
}

static int setup(void **state)
{
    (void)state;
    struct ks_err err = {0};
    if (ks_dir_temp(&arena, "ks-closure", &root, &err) != KS_OK)
        return 1;
    return chdir(root);
}

static int teardown(void **state)
{
    (void)state;
    return chdir("/") != 0 || ks_tree_remove(root, NULL) != KS_OK;
}

static void test_search_order(void **state)
{
    (void)state;
    put("a.cu", "#include \"near.h\"\n  #  include <far.h>\n#include \"quoted.h\"\n"
                "#include \"far2.h\"\n#include <near.h>\n#include \"gone.h\"\n");
    put("near.h", "// ks: off\n");
    put("inc/near.h", "int n;");
    put("q/quoted.h", "#pragma ks optimize");
    put("inc/quoted.h", "");
    put("inc/far.h", "");
    put("inc2/far.h", "");
    put("inc2/far2.h", "");
    const char *const quote[] = {"q", NULL}, *const include[] = {"inc", "inc2", NULL};
    assert_string_equal(closure("a.cu", quote, include),
                        "a.cu near.h! inc/far.h q/quoted.h! inc2/far2.h inc/near.h");
    assert_string_equal(closure("a.cu", NULL, NULL), "a.cu near.h!");
}

static void test_relative_to_includer(void **state)
{
    (void)state;
    put("src/b.cu", "#include \"../lib/x.h\"");
    put("lib/x.h", "#pragma once\n#include \"y.h\"\n#include \"../src/b.cu\"\n#include_next <z.h>");
    put("lib/y.h", "#include \"x.h\"\n");
    put("z/z.h", "");
    put("y.h", "wrong one");
    const char *const include[] = {"z", NULL};
    assert_string_equal(closure("src/b.cu", NULL, include),
                        "src/b.cu src/../lib/x.h src/../lib/y.h z/z.h");
}

static void test_one_file_two_names(void **state)
{
    (void)state;
    put("c.cu", "#include \"l.h\"\n#include \"m.h\"\n");
    put("l.h", "x");
    assert_int_equal(symlink("l.h", "m.h"), 0);
    assert_string_equal(closure("c.cu", NULL, NULL), "c.cu l.h");
}

static void test_not_includes(void **state)
{
    (void)state;
    put("d.cu",
        "#if __has_include(\"l.h\")\n#endif\ninclude \"l.h\"\n#include MACRO\n#include \"\"\n"
        "#include \"l.h\n#include <d>\n#define include\n#include");
    assert_int_equal(ks_dir_make("dirs/d", NULL), KS_OK);
    put("l.h", "x");
    const char *const include[] = {"dirs", NULL};
    assert_string_equal(closure("d.cu", NULL, include), "d.cu");
}

static void test_absent(void **state)
{
    (void)state;
    assert_string_equal(closure("none.cu", NULL, NULL), "absent");
    put("e.cu", "");
    assert_string_equal(closure("e.cu", NULL, NULL), "e.cu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_order),
        cmocka_unit_test(test_relative_to_includer),
        cmocka_unit_test(test_one_file_two_names),
        cmocka_unit_test(test_not_includes),
        cmocka_unit_test(test_absent),
    };
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    ks_arena_free(&arena);
    return failed;
}
