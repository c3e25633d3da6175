#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nvcc/depfile.h"

static struct ks_arena arena;

static int reset(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

static const char *join(const struct ks_strv *list)
{
    const char *text = "";
    for (size_t i = 0; i < list->len; i++)
        text = ks_arena_printf(&arena, "%s%s%s", text, i == 0 ? "" : "|", list->at[i]);
    return text;
}

static struct ks_depfile parsed(const char *text)
{
    struct ks_depfile file;
    struct ks_err err;
    if (ks_depfile_parse(&arena, ks_slice_of(text), &file, &err) != KS_OK)
        fail_msg("%s", err.text);
    return file;
}

static const char *repaired(const char *text, const char *from, const char *to,
                            const char *const *extra)
{
    struct ks_buf out = KS_BUF(1 << 16);
    struct ks_err err;
    const struct ks_depfile_name names[] = {{"never/seen", "x"}, {from, to}};
    if (ks_depfile_repair(ks_slice_of(text), names, 2, extra, &out, &err) != KS_OK)
        fail_msg("%s", err.text);
    const char *copy = ks_arena_strdup(&arena, out.data);
    ks_buf_free(&out);
    return copy;
}

// As nvcc 13.0 wrote it, with -MP.
static const char of_nvcc[] =
    "esc.o : x\\ y.cu \\\n    a\\ b#c$d.h \\\n    e/f.h\n\n\na\\ b#c$d.h:\n\ne/f.h:\n\n";
// As gcc 12 wrote it for the same includes and one named "g\ h.h".
static const char of_gcc[] =
    "esc.o: esc.cu a\\ b\\#c$$d.h e\\f.h g\\\\\\ h.h\na\\ b\\#c$$d.h:\ne\\f.h:\n";

static void reads_what_nvcc_and_gcc_write(void **state)
{
    (void)state;
    struct ks_depfile file = parsed(of_nvcc);
    assert_string_equal(join(&file.targets), "esc.o");
    assert_string_equal(join(&file.prerequisites), "x y.cu|a b#c$d.h|e/f.h");
    assert_string_equal(join(&file.phony), "a b#c$d.h|e/f.h");
    file = parsed(of_gcc);
    assert_string_equal(join(&file.targets), "esc.o");
    assert_string_equal(join(&file.prerequisites), "esc.cu|a b#c$d.h|e\\f.h|g\\ h.h");
    assert_string_equal(join(&file.phony), "a b#c$d.h|e\\f.h");
}

static void reads_other_layouts(void **state)
{
    (void)state;
    struct ks_depfile file = parsed("a.o b.o: \\\n  x.cu\\\r\n  y.h");
    assert_string_equal(join(&file.targets), "a.o|b.o");
    assert_string_equal(join(&file.prerequisites), "x.cu|y.h");
    assert_int_equal(file.phony.len, 0);
    file = parsed("a.o:\n");
    assert_int_equal(file.prerequisites.len, 0);
    file = parsed("C:/a.o : c:/x.cu\n");
    assert_string_equal(join(&file.prerequisites), "c:/x.cu");
}

static void refuses_what_is_no_depfile(void **state)
{
    (void)state;
    struct ks_depfile file;
    struct ks_err err;
    const char *bad[] = {"", "\n\n", "a.o b.cu\n", "a.o"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(ks_depfile_parse(&arena, ks_slice_of(bad[i]), &file, &err), KS_E_FORMAT);
    assert_int_equal(ks_depfile_parse(&arena, ks_slice_of("\n\na.o b.cu\n"), &file, &err),
                     KS_E_FORMAT);
    assert_non_null(strstr(err.text, "line 3"));
    struct ks_buf out = KS_BUF(1 << 16);
    assert_int_equal(ks_depfile_repair(ks_slice_of("x y\n"), NULL, 0, NULL, &out, &err),
                     KS_E_FORMAT);
    ks_buf_free(&out);
}

static void leaves_the_rest_alone(void **state)
{
    (void)state;
    assert_string_equal(repaired(of_nvcc, "none", "b", NULL), of_nvcc);
    assert_string_equal(repaired(of_gcc, "none", "b", NULL), of_gcc);
    assert_string_equal(repaired("t.o: a$$\\#b\n", "a$#b", "a$#b", NULL), "t.o: a$$\\#b\n");
    assert_string_equal(repaired("a.cu : a.cu \\\n b.cu\n", "a.cu", "c.cu", NULL),
                        "a.cu : c.cu \\\n b.cu\n"); // the target keeps its name
}

static void replaces_by_token(void **state)
{
    (void)state;
    assert_string_equal(
        repaired("t.o : s/x.cu \\\n    s/x.cuh \\\n    s/x.cu2\n", "s/x.cu", "../x.cu", NULL),
        "t.o : ../x.cu \\\n    s/x.cuh \\\n    s/x.cu2\n");
    assert_string_equal(repaired(of_nvcc, "x y.cu", "p q$#.cu", NULL),
                        "esc.o : p\\ q$#.cu \\\n    a\\ b#c$d.h \\\n    e/f.h\n\n\na\\ b#c$d.h:\n\n"
                        "e/f.h:\n\n");
    assert_string_equal(repaired("t.o: s.cu h.h\nh.h:\ns.cu:\n", "s.cu", "r.cu", NULL),
                        "t.o: r.cu h.h\nh.h:\nr.cu:\n"); // -MP's line too
}

static void appends_prerequisites_to_the_first_rule(void **state)
{
    (void)state;
    const char *const extra[] = {"/p/.ks/index", "/h/a b/index", NULL};
    assert_string_equal(
        repaired("t.o : s.cu \\\n    h.h\n\nh.h:\n", "s.cu", "r.cu", extra),
        "t.o : r.cu \\\n    h.h \\\n    /p/.ks/index \\\n    /h/a\\ b/index\n\nh.h:\n"
        "\n/p/.ks/index:\n\n/h/a\\ b/index:\n");
    const char *text = repaired("t.o: s.cu", "s.cu", "r.cu", extra);
    struct ks_depfile file = parsed(text);
    assert_string_equal(join(&file.prerequisites), "r.cu|/p/.ks/index|/h/a b/index");
    assert_string_equal(join(&file.phony),
                        "/p/.ks/index|/h/a b/index"); // make goes on without them
    file = parsed(repaired("t.o:\n", "s.cu", "r.cu", extra));
    assert_string_equal(join(&file.prerequisites), "/p/.ks/index|/h/a b/index");
}

static void drops_names(void **state)
{
    (void)state;
    const char *text = "t.o : s/h.cu \\\n    a.h \\\n    t.cu \\\n    b.h \\\n    t.cu\n\n\n"
                       "a.h:\n\nt.cu:\n\nb.h:\n\n";
    const struct ks_depfile_name names[] = {{"s/h.cu", "t.cu"}, {"t.cu", NULL}};
    struct ks_buf out = KS_BUF(1 << 16);
    const char *const extra[] = {"i", NULL};
    assert_int_equal(ks_depfile_repair(ks_slice_of(text), names, 2, NULL, &out, NULL), KS_OK);
    assert_string_equal(out.data, "t.o : t.cu \\\n    a.h \\\n    b.h\n\n\na.h:\n\nb.h:\n\n");
    ks_buf_free(&out);
    out = (struct ks_buf)KS_BUF(1 << 16);
    assert_int_equal(
        ks_depfile_repair(ks_slice_of("t.cu: t.cu\nt.cu:\n"), names + 1, 1, extra, &out, NULL),
        KS_OK); // the target stays
    assert_string_equal(out.data, "t.cu: \\\n    i\n\ni:\n");
    ks_buf_free(&out);
}

static void names_survive_writing_and_reading(void **state)
{
    (void)state;
    const char *names[] = {"a b", "a\\ b", "a\\\\ b", "$x$$", "#h",
                           "x#",  " lead", "t\tt",    "b\\s", "c:d"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const extra[] = {names[i], NULL};
        struct ks_depfile file = parsed(repaired("t.o : s.cu z\n", "x", "y", extra));
        assert_int_equal(file.prerequisites.len, 3);
        assert_string_equal(file.prerequisites.at[2], names[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reads_what_nvcc_and_gcc_write, reset),
        cmocka_unit_test_teardown(reads_other_layouts, reset),
        cmocka_unit_test_teardown(refuses_what_is_no_depfile, reset),
        cmocka_unit_test_teardown(leaves_the_rest_alone, reset),
        cmocka_unit_test_teardown(replaces_by_token, reset),
        cmocka_unit_test_teardown(appends_prerequisites_to_the_first_rule, reset),
        cmocka_unit_test_teardown(drops_names, reset),
        cmocka_unit_test_teardown(names_survive_writing_and_reading, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
