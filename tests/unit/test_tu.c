// Which kernels of a unit are marked, before anything is compiled: ks_tu_open on real files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "key/tu.h"
#include "os/file.h"

#define KERNEL(name) "__global__ void " name "(float *x) { x[0] = 1; }\n"
#define WORKLOAD "#pragma ks workload inout(x[1]) grid(1) block(1)\n"

static struct ks_arena arena;
static char *root;

static void put(const char *name, const char *text)
{
    const char *path = ks_path_join(&arena, root, name);
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
}

// The marked kernels of a.cu as "name@file", space-separated; or what is wrong.
static const char *marked(void)
{
    static struct ks_config config;
    static struct ks_toolkit toolkit;
    const char *argv[] = {"ks-nvcc", "-Iinc", "-c", "a.cu", "-o", "a.o"};
    struct ks_cmdline *cmd = KS_NEW(&arena, struct ks_cmdline);
    struct ks_tu tu;
    struct ks_err err = {0};
    ks_cmdline_read(&arena, sizeof argv / sizeof *argv, argv, cmd);
    assert_null(cmd->pass);
    if (ks_tu_open(&arena, &config, cmd, &toolkit, &tu, &err) != KS_OK)
        return ks_arena_strdup(&arena, err.text);
    const char *out = "";
    for (size_t i = 0; i < tu.n_marks; i++)
        out = ks_arena_printf(&arena, "%s%s%s@%s", out, *out ? " " : "",
                              tu.marks[i].decl->qualified, tu.marks[i].file->path);
    return out;
}

static int set_up(void **state)
{
    (void)state;
    return ks_dir_temp(&arena, "ks-tu", &root, NULL) != KS_OK || chdir(root) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    enum ks_status status = ks_tree_remove(root, NULL);
    return chdir("/") != 0 || status != KS_OK;
}

// A mark that appears, moves or goes is noticed by the very next compile.
static void notices_marks_at_once(void **state)
{
    (void)state;
    put("a.cu", "#include <deep.h>\n" KERNEL("own"));
    put("inc/deep.h", "#include \"deeper.h\"\n");
    put("inc/deeper.h", KERNEL("k"));
    assert_string_equal(marked(), "");
    put("inc/deeper.h", WORKLOAD KERNEL("k"));
    assert_string_equal(marked(), "k@inc/deeper.h");
    put("inc/near.h", WORKLOAD KERNEL("near"));
    put("inc/deep.h", "#include \"near.h\"\n");
    assert_string_equal(marked(), "near@inc/near.h");
    put("near.h", "");
    assert_string_equal(marked(), "near@inc/near.h"); // the includer's folder comes first
    put("inc/near.h", "// ks: off\nint n;\n" WORKLOAD KERNEL("near"));
    assert_string_equal(marked(), "");
}

static void marks_headers_by_side_file(void **state)
{
    (void)state;
    put("a.cu", "#include \"real/one.cuh\"\n#include \"link.h\"\n#include \"other.cuh\"\n");
    put("real/one.cuh", "namespace n { " KERNEL("k") "}\n");
    put("real/two.cuh", "namespace n { " KERNEL("k") "}\n");
    put("other.cuh", "namespace n { " KERNEL("k") "}\n");
    assert_int_equal(symlink("real/two.cuh", "link.h"), 0);
    put("ks.yaml", "kernels:\n  - file: real/*.cuh\n    kernel: n::k\n"
                   "    workloads: ['inout(x[1]) grid(1) block(1)']\n");
    // The pattern speaks of the real file, whatever name it is included by.
    assert_string_equal(marked(), "n::k@real/one.cuh n::k@link.h");
    put("ks.yaml", "kernels:\n  - file: real/*.cuh\n    kernel: n::gone\n");
    assert_string_equal(marked(), "");
    put("ks.yaml", "kernels:\n  - file: a.cu\n    kernel: n::gone\n");
    assert_non_null(strstr(marked(), "ks.yaml:2: a.cu defines no kernel `n::gone`"));
    assert_int_equal(unlink("ks.yaml"), 0);
    assert_string_equal(marked(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(notices_marks_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(marks_headers_by_side_file, set_up, tear_down),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
