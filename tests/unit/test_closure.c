#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
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

// Paths found, space-separated, with '!' behind those that may hold a mark and '*' behind those
// with a kernel.
static const char *closure_of(const char *tu, const struct ks_closure_dirs *dirs)
{
    struct ks_source_list files;
    struct ks_err err = {0};
    if (ks_closure_read(&arena, tu, dirs, &files, &err) != KS_OK)
        return ks_status_name(err.status);
    const char *out = "";
    ks_vec_each (struct ks_source_file, f, &files) {
        out = ks_arena_printf(&arena, "%s%s%s%s%s%s%s", out, *out ? " " : "", f->path,
                              f->may_have_mark ? "!" : "", f->has_kernel ? "*" : "",
                              f->has_omp ? "o" : "", f->has_odd_pragma ? "?" : "");
        bool wanted = f == files.at || f->may_have_mark;
        assert_true(wanted == (f->text.at != NULL));
    }
    return out;
}

static const char *closure(const char *tu, const char *const *quote, const char *const *include)
{
    struct ks_closure_dirs dirs = {.quote = quote, .include = include};
    return closure_of(tu, &dirs);
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

static void test_pragmas(void **state)
{
    (void)state;
    put("p.cu", "#pragma once\n#pragma nv_diag_suppress 1\n#pragma unroll\n#include \"p.h\"\n"
                "#include \"o.h\"\n#pragma ks optimize\n");
    put("p.h", "#pragma onces\n");
    put("o.h", "#pragma omp parallel\n#pragma GCC poison x\n");
    assert_string_equal(closure("p.cu", NULL, NULL), "p.cu! p.h? o.ho");
}

// Spellings of a name: the folder of the includer, absolute, through a link, through "..".
static void test_spellings(void **state)
{
    (void)state;
    put("s/a.cu", ks_arena_printf(&arena,
                                  "#include \"./one.h\"\n#include \"sub/../one.h\"\n"
                                  "#include \"%s/s/two.h\"\n#include \"sub//three.h\"\n"
                                  "#include \"link/four.h\"\n#include \"gone/../one.h\"\n"
                                  "#include \"one.h/x.h\"\n#include \"sub/\"\n",
                                  root));
    put("s/one.h", "");
    put("s/two.h", "");
    put("s/sub/three.h", "#include \"beside.h\"\n");
    put("s/sub/beside.h", "__global__ void k();");
    put("s/far/four.h", "#include \"../far/beside.h\"\n#include \"../one.h\"\n");
    put("s/far/beside.h", "// ks: off\n__global__\n");
    assert_int_equal(symlink("far", "s/link"), 0);
    const char *two = ks_arena_printf(&arena, "%s/s/two.h", root);
    assert_string_equal(closure("s/a.cu", NULL, NULL),
                        ks_arena_printf(&arena,
                                        "s/a.cu s/./one.h %s s/sub/three.h s/link/four.h "
                                        "s/sub/beside.h* s/link/../far/beside.h!*",
                                        two));
    assert_true(ks_starts_with(closure("./s/a.cu", NULL, NULL), "./s/a.cu ./s/./one.h "));
    assert_true(ks_starts_with(closure(two, NULL, NULL), root));
}

// A file in two folders: the first one's is read; #include_next may mean either.
static void test_shadowed(void **state)
{
    (void)state;
    put("n/a.cu", "#include <v.h>\n");
    put("n/1/v.h", "#include_next <v.h>\n");
    put("n/2/v.h", "// ks: off\n");
    const char *const include[] = {"n/0", "n/1", "n/2", NULL};
    assert_string_equal(closure("n/a.cu", NULL, include), "n/a.cu n/1/v.h n/2/v.h!");
    put("n/1/v.h", "");
    assert_string_equal(closure("n/a.cu", NULL, include), "n/a.cu n/1/v.h");
    // Nothing is remembered: what appears in front is seen at once, so is a mark.
    put("n/0/v.h", "#pragma ks off\n");
    assert_string_equal(closure("n/a.cu", NULL, include), "n/a.cu n/0/v.h!");
}

static void test_left_out(void **state)
{
    (void)state;
    put("o/a.cu", "#include <sys.h>\n#include <own.h>\n");
    put("o/kit/include/sys.h", "// ks: off\n");
    put("o/own/own.h", "");
    assert_int_equal(symlink("kit", "o/kit-13"), 0);
    const char *const include[] = {"o/kit-13/include", "o/own", NULL};
    const char *const out[] = {"o/none", "o/kit/include", NULL};
    assert_string_equal(closure("o/a.cu", NULL, include),
                        "o/a.cu o/kit-13/include/sys.h! o/own/own.h");
    struct ks_closure_dirs dirs = {.include = include, .left_out = out};
    assert_string_equal(closure_of("o/a.cu", &dirs), "o/a.cu o/own/own.h");
}

// More folders and files than handles are kept for, and more questions than the table begins with.
static void test_many(void **state)
{
    (void)state;
    struct ks_buf text = KS_BUF(1 << 20);
    for (int i = 0; i < 600; i++) {
        ks_buf_printf(&text, "#include \"d%d/h%d.h\"\n#include <h%d.h>\n", i % 300, i, i);
        put(ks_arena_printf(&arena, "m/d%d/h%d.h", i % 300, i), i == 599 ? "#pragma ks off" : "");
    }
    put("m/a.cu", ks_buf_text(&text));
    ks_buf_free(&text);
    const char *all = closure("m/a.cu", NULL, NULL);
    size_t n = 0;
    for (const char *p = all; *p; p++)
        n += *p == ' ';
    assert_int_equal(n, 600);
    assert_true(ks_ends_with(all, " m/d299/h599.h!"));
}

// A write is noticed although the date says nothing of it.
static void test_holds(void **state)
{
    (void)state;
    struct ks_source_list files;
    struct ks_closure_dirs dirs = {0};
    struct stat before;
    put("h.cu", "#include \"held.h\"\n");
    put("held.h", "int one;");
    for (int i = 0; i < 2; i++) {
        const char *written = i == 0 ? "h.cu" : "held.h";
        assert_int_equal(ks_closure_read(&arena, "h.cu", &dirs, &files, NULL), KS_OK);
        assert_int_equal(files.len, 2);
        assert_true(ks_closure_holds(&files));
        assert_int_equal(stat(written, &before), 0);
        int fd = open(written, O_WRONLY);
        assert_true(fd >= 0 && write(fd, "#", 1) == 1);
        close(fd);
        const struct timespec times[2] = {before.st_atim, before.st_mtim};
        assert_int_equal(utimensat(AT_FDCWD, written, times, 0), 0);
        assert_false(ks_closure_holds(&files));
        put("h.cu", "#include \"held.h\"\n");
    }
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
        cmocka_unit_test(test_pragmas),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_shadowed),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_absent),
    };
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    ks_arena_free(&arena);
    return failed;
}
