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
    "__device__ float3 *pointed(int a) { return unseen(a); }\n";

static void test_changes(void **state)
{
    (void)state;
    static const char text[] = "value(x, y, p); ns::first(x, 1); second<float, 4>(x, a); third(1, p, q);"
                               "over(1); pointed(2); unseen(x); v3(1, 2); first(x, 2);";
    struct ks_callee_list list;
    ks_callees_find(&arena, ks_slice_of(text), ks_slice_of(unit), &list);
    assert_int_equal(ks_callee_changes(&list, "value"), 0);
    assert_int_equal(ks_callee_changes(&list, "ns::first"), 1);
    assert_int_equal(ks_callee_changes(&list, "second<float, 4>"), 2);
    assert_int_equal(ks_callee_changes(&list, "third"), 2);
    assert_int_equal(ks_callee_changes(&list, "over"), 2);
    assert_int_equal(ks_callee_changes(&list, "pointed"), 0);
    assert_int_equal(ks_callee_changes(&list, "v3"), 0);
    assert_int_equal(ks_callee_changes(&list, "unseen"), UINT32_MAX); // called there, declared nowhere
    assert_int_equal(ks_callee_changes(NULL, "value"), UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
