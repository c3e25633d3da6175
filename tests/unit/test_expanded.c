#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/expanded.h"

static struct ks_arena arena;

static const char source[] = "#define BLOCK 256\n"
                             "#define AT(i, j) ((i) * n + (j))\n"
                             "#define REAL float\n"
                             "namespace q { template <class T>\n"
                             "__global__ void __launch_bounds__(BLOCK) k(const REAL *__restrict__ x, T *y, int n)\n"
                             "{\n"
                             "    __shared__ float t[BLOCK]; // kept apart\n"
                             "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                             "    float v = INFINITY, w = x[AT(i,\n"
                             "        1)];\n"
                             "#if __CUDA_ARCH__ >= 900\n"
                             "    y[i] = x[i];\n"
                             "#else\n"
                             "    y[i] = 0;\n"
                             "#endif\n"
                             "#pragma unroll 4\n"
                             "    for (int c = 0; c < 4; c++) y[i] = NULL == 0;\n"
                             "}\n"
                             "}\n"
                             "__global__ void plain(float *y) { y[0] = 1; /* as it is */ }\n";

static const char preprocessed[] =
    "# 0 \"lib/t.cu\"\n"
    "# 1 \"/usr/include/t.h\" 1 3\n"
    "int t;\n\n\n"
    "# 2 \"lib/t.cu\" 2\n"
    "\n\n"
    "namespace q { template <class T>\n"
    "__attribute__((global)) void __attribute__((launch_bounds(256))) k(const float *__restrict__ x, T *y, int n)\n"
    "{\n"
    "    __attribute__((shared)) float t[256];\n"
    "    int i = blockIdx.x * 256 + threadIdx.x;\n"
    "    float v = \n"
    "# 9 \"lib/t.cu\" 3 4\n"
    "            (__builtin_inff ())\n"
    "# 9 \"lib/t.cu\"\n"
    "                    , w = x[((i) * n + (1))\n"
    "           ];\n"
    "\n"
    "    y[i] = x[i];\n"
    "\n\n\n"
    "#pragma unroll 4\n"
    "    for (int c = 0; c < 4; c++) y[i] = \n"
    "# 17 \"lib/t.cu\" 3 4\n"
    "   __null\n"
    "# 17 \"lib/t.cu\"\n"
    "   == 0;\n"
    "}\n"
    "}\n"
    "__attribute__((global)) void plain(float *y) { y[0] = 1; }\n";

static bool expand(const char *file, size_t which, const char *text, const char **out,
                   struct ks_kernel_decl *decl)
{
    struct ks_kernel_list list;
    struct ks_err err = {0};
    assert_int_equal(ks_kernels_find(&arena, "t.cu", ks_slice_of(source), &list, &err), KS_OK);
    assert_int_equal(list.len, 2);
    return ks_kernel_expanded(&arena, file, ks_slice_of(source), &list.at[which], ks_slice_of(text),
                              out, decl);
}

static void test_expansion(void **state)
{
    (void)state;
    const char *text;
    struct ks_kernel_decl decl;
    assert_true(expand("lib/t.cu", 0, preprocessed, &text, &decl));
    assert_string_equal(text, "template <class T>\n"
                              "__global__ void __launch_bounds__(256) k(const float *__restrict__ x, T *y, int n)\n"
                              "{\n"
                              "    __shared__ float t[256];\n"
                              "    int i = blockIdx.x * 256 + threadIdx.x;\n"
                              "    float v = INFINITY , w = x[((i) * n + (1))\n"
                              "           ];\n"
                              "\n"
                              "    y[i] = x[i];\n"
                              "\n\n\n"
                              "#pragma unroll 4\n"
                              "    for (int c = 0; c < 4; c++) y[i] = NULL == 0;\n"
                              "}");
    assert_string_equal(decl.qualified, "q::k");
    assert_string_equal(decl.launch_bounds, "256");
    assert_string_equal(decl.params[0].type.text, "const float* __restrict__");
    assert_int_equal(decl.line, 4);
    assert_int_equal(text[decl.body - decl.begin], '{');
}

static void test_names(void **state)
{
    (void)state;
    const char *text;
    struct ks_kernel_decl decl;
    assert_true(expand("t.cu", 0, preprocessed, &text, &decl)); // reached by another folder's name
    assert_false(expand("other.cu", 0, preprocessed, &text, &decl));
    assert_false(expand("lib/t.cu", 1, preprocessed, &text, &decl)); // nothing to put in
    assert_false(expand("lib/t.cu", 0, "", &text, &decl));
    char *cut = ks_arena_strndup(&arena, preprocessed, sizeof preprocessed / 2); // never closed
    assert_false(expand("lib/t.cu", 0, cut, &text, &decl));
}

static void test_restored(void **state)
{
    (void)state;
    assert_string_equal(ks_text_restored(&arena, "\n    __attribute__((shared)) float part[64]; // own\n# 12 \"t.cu\"\n    part[0] = v;"),
                        "__shared__ float part[64];\n\n    part[0] = v;");
    assert_string_equal(ks_text_restored(&arena, " "), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_expansion), cmocka_unit_test(test_restored),
                                       cmocka_unit_test(test_names)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
