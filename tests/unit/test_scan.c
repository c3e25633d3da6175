#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "os/clock.h"
#include "source/scan.h"

static struct ks_arena arena;

// What is found in a text, in order: "near.h" <far.h> next<z.h> mark kernel.
static const char *found_in(struct ks_slice text)
{
    const char *out = "";
    struct ks_scan scan = ks_scan_begin(text);
    for (enum ks_scan_kind kind; (kind = ks_scan_next(&scan)) != KS_SCAN_END;) {
        const char *space = *out ? " " : "";
        if (kind == KS_SCAN_INCLUDE)
            out = ks_arena_printf(&arena, "%s%s%s%c%.*s%c", out, space, scan.next ? "next" : "",
                                  scan.quoted ? '"' : '<', (int)scan.name.len, scan.name.at,
                                  scan.quoted ? '"' : '>');
        else
            out = ks_arena_printf(&arena, "%s%s%s", out, space,
                                  kind == KS_SCAN_MARK     ? "mark"
                                  : kind == KS_SCAN_KERNEL ? "kernel"
                                                           : "pragma");
    }
    return out;
}

static const char *found(const char *text)
{
    return found_in(ks_slice_of(text));
}

static void test_includes(void **state)
{
    (void)state;
    assert_string_equal(found("#include \"near.h\"\n  #  include\t<far.h>\n"),
                        "\"near.h\" <far.h>");
    assert_string_equal(found("#include<a/b.h>\n#include_next \"z.h\""), "<a/b.h> next\"z.h\"");
    assert_string_equal(found("#/* why */include /* \n */ \"a.h\""), "\"a.h\"");
    assert_string_equal(found("#inc\\\nlude \\\n <a.h>"), "<a.h>");
    assert_string_equal(found("#\\\ninclude_\\\nnext <a.h>"), "next<a.h>");
    assert_string_equal(found("int x; // #include \"a.h\""), "\"a.h\""); // too much is all right
    assert_string_equal(found("#include MACRO\n#include \"\"\n#include \"a.h\n#include <a.h\n"
                              "#included <a.h>\n#include_nexts <a.h>\n#define include <a.h>\n"
                              "include <a.h>\n#\ninclude <a.h>\n#include\n<a.h>\n#include"),
                        "");
}

static void test_marks(void **state)
{
    (void)state;
    static const char *const marks[] = {"#pragma ks optimize",
                                        "# pragma\t/* x */ ks\\\n off",
                                        "#prag\\\nma k\\\ns off",
                                        "// ks: off",
                                        "//ks: off",
                                        "x\n#pragma ks",
                                        "#/*\n*/pragma ks",
                                        "/* ks: off */"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        assert_string_equal(found(marks[i]), "mark");
    static const char *const none[] = {"int blocks: 3; #pragma unroll\nmasks = ks_x;",
                                       "int ks = 3;",
                                       "#pragma\nks",
                                       "#pragma ks_x",
                                       "#pragma once",
                                       "blocks::x ks ks",
                                       "k s: ks",
                                       "",
                                       "#",
                                       "k",
                                       "ks",
                                       "_",
                                       "__g"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_null(strstr(found(none[i]), "mark"));
        assert_false(ks_text_may_have_mark(ks_slice_of(none[i])));
    }
    assert_true(ks_text_may_have_mark(ks_slice_of("#include <a>\n__global__ // ks: off")));
}

static void test_kernels(void **state)
{
    (void)state;
    assert_string_equal(found("__global__ void k(); __gnu__ ___global___"), "kernel kernel");
    assert_string_equal(found("__global_ _global__ __Global__"), "");
}

static void test_pragmas(void **state)
{
    (void)state;
    assert_string_equal(found("#pragma unroll 4\n# prag\\\nma /* x */ ks_x\n#pragma ks off"),
                        "pragma pragma mark");
    assert_string_equal(found("#pragma\n#pragmas x\n_Pragma(\"x\")"), "");
}

// The pass takes a text in strides and a rest: nothing depends on where in them it stands.
static void test_every_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *found;
    } cases[] = {{"#include <a.h>", "<a.h>"},
                 {"#pragma ks", "mark"},
                 {" ks:", "mark"},
                 {"__global__", "kernel"}};
    char text[400];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t n = strlen(cases[c].text), before = 0; before < 170; before++)
            for (size_t behind = 0; behind < 170; behind += before % 16 == 3 ? 1 : 41) {
                memset(text, 's', sizeof text);
                memcpy(text + before, cases[c].text, n);
                // What stands beyond the end must not count.
                memcpy(text + before + n + behind, "#pragma ks\n", 11);
                if (behind > 0)
                    text[before + n] = '\n';
                struct ks_slice all = {text, before + n + behind};
                assert_string_equal(found_in(all), cases[c].found);
                all.len -= behind + 1; // cut short
                assert_null(strstr(found_in(all), cases[c].found));
            }
}

// A comment in a directive that goes on for ever: somebody has to look.
static void test_long_directive(void **state)
{
    (void)state;
    char *text = ks_arena_alloc(&arena, 10000);
    memset(text, 'x', 9999);
    memcpy(text, "#/*", 3);
    memcpy(text + 9000, "*/pragma ks", 11);
    assert_string_equal(found(text), "mark");
    memcpy(text, "#include \"", 10);
    memcpy(text + 9000, "\"\n#include \"a.h\"", 16);
    assert_string_equal(found(text), "\"a.h\"");
}

// 64 MiB of text in which "ks" is frequent inside words must pass at 1 GB/s or so. The bound is a
// tenth of that, so that a loaded machine does not fail while an accidental second pass would.
static void test_speed(void **state)
{
    (void)state;
    static const char line[] =
        "    blocks[i] = masks[i] + a[i * n + k]; // unrolled by the front end\n";
    size_t n = (64u << 20) / (sizeof line - 1);
    char *text = ks_arena_alloc(&arena, n * (sizeof line - 1));
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * (sizeof line - 1), line, sizeof line - 1);
    double begin = ks_now();
    assert_false(ks_text_may_have_mark((struct ks_slice){text, n * (sizeof line - 1)}));
    double rate = (double)(n * (sizeof line - 1)) / (ks_now() - begin);
    print_message("scan: %.2f GB/s\n", rate / 1e9);
    assert_true(KS_SANITIZED || rate > 1e8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_includes),       cmocka_unit_test(test_marks),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_pragmas),        cmocka_unit_test(test_every_place),
        cmocka_unit_test(test_long_directive), cmocka_unit_test(test_speed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
