#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/callee.h"

static struct ks_arena arena;

static const char unit[] =
    "#define late(x) f(x)\n"
    "struct v3 { float x; __host__ __device__ v3(float a, float b); };\n"
    "__device__ float value(float a, const float &b, const float *c);\n"
    "__device__ void first(float &a, float b) { value(b, a, &a); }\n"
    "template <class T, int N> static __device__ inline void second(T a, T (&b)[N]) {}\n"
    "__attribute__((device)) void third(int n, float *out,\n"
    "                                   float const *in) noexcept {}\n"
    "__device__ void over(int a) {}\n"
    "__device__ void over(float a, double &b) {}\n"
    "__device__ float3 *pointed(int a) { return unseen(a); }\n"
    "__device__ static float sigmoid(float v)\n{\n    return 1.0f / (1.0f + expf(-v));\n}\n"
    "__device__ float swish(const float u) { return u * sigmoid(u); }\n"
    "__device__ float twice(float v);\n"
    "__device__ void last(float &a, float b, float c) {}\n"
    "struct v4 { __attribute__((device)) v4(float a); };\n"
    "__device__ void calls(float *x, float *y, int i) { if (value(1, *x, y) > 0) last(x[i], y[i], "
    "*y); }\n"
    "static __device__ unsigned int place(int a, int b) { return a * 8u + b; }\n"
    "inline unsigned\n  long long wide(void) { return 1; }\nconst int fixed(void) { return 1; }\n"
    "__device__ float steps(float v) { v += 1; return v; }\n";

static void test_changes(void **state)
{
    (void)state;
    static const char text[] =
        "value(x, y, p); ns::first(x, 1); second<float, 4>(x, a); third(1, p, q);"
        "over(1); pointed(2); unseen(x); v3(1, 2); first(x, 2); last(x, y, 1); v4(x);";
    struct ks_callee_list list;
    ks_callees_find(&arena, ks_slice_of(text), ks_slice_of(unit), &list);
    assert_int_equal(ks_callee_changes(&list, "value"), 0);
    assert_int_equal(ks_callee_changes(&list, "ns::first"), 1);
    assert_int_equal(ks_callee_changes(&list, "second<float, 4>"), 2);
    assert_int_equal(ks_callee_changes(&list, "third"), 2);
    assert_int_equal(ks_callee_changes(&list, "over"), 2);
    assert_int_equal(ks_callee_changes(&list, "pointed"), 0);
    assert_int_equal(ks_callee_changes(&list, "v3"), 0);
    assert_int_equal(ks_callee_changes(&list, "last"),
                     1); // a call behind a condition is no declaration
    assert_int_equal(ks_callee_changes(&list, "v4"), 0);
    assert_int_equal(ks_callee_changes(&list, "unseen"),
                     UINT32_MAX); // called there, declared nowhere
    assert_int_equal(ks_callee_changes(NULL, "value"), UINT32_MAX);
}

static void test_values(void **state)
{
    (void)state;
    static const char text[] = "y = swish(x) + twice(x) + steps(x); over(2); place(1, 2); wide(); fixed();";
    struct ks_callee_list list;
    ks_callees_find(&arena, ks_slice_of(text), ks_slice_of(unit), &list);
    assert_string_equal(ks_callee_find(&list, "swish")->params, "const float u");
    assert_string_equal(ks_callee_find(&list, "swish")->value, " u * sigmoid(u)");
    assert_string_equal(ks_callee_find(&list, "sigmoid")->value, " 1.0f / (1.0f + expf(-v))"); // swish calls it
    assert_null(ks_callee_find(&list, "twice")->value);
    assert_null(ks_callee_find(&list, "steps")->value);
    assert_null(ks_callee_find(&list, "over")->value);
    assert_string_equal(ks_callee_find(&list, "steps")->body, " v += 1; return v; ");
    assert_string_equal(ks_callee_find(&list, "steps")->result, "float");
    assert_string_equal(ks_callee_find(&list, "place")->result, "unsigned int");
    assert_string_equal(ks_callee_find(&list, "wide")->result, "unsigned\n  long long");
    assert_string_equal(ks_callee_find(&list, "fixed")->result, "int");
    assert_string_equal(ks_callee_find(&list, "steps")->params, "float v");
    assert_null(ks_callee_find(&list, "twice")->body);
    assert_null(ks_callee_find(&list, "over")->body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes), cmocka_unit_test(test_values)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
