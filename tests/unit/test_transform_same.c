// Transforms that keep the launch (unroll, launch bounds, pointers apart), and template instances.
#include "../host_run/host_run.h"

#include "engine/engine.h"
#include "engine/subject.h"
#include "workload/problem.h"

static const char block_sums[] =
    "// ks: optimize\n// ks: workload let(n=640) in(x[n]) out(y[ceildiv(n,64)])\n"
    "// ks: grid(ceildiv(n,64)) block(64)\n"
    "__global__ void block_sums(const float *x, float *y, int n)\n{\n"
    "    __shared__ float part[64];\n    int i = blockIdx.x * 64 + threadIdx.x;\n"
    "    part[threadIdx.x] = i < n ? x[i] : 0.0f;\n    __syncthreads();\n"
    "    if (threadIdx.x == 0) {\n        float s = 0;\n#pragma unroll 2\n"
    "        for (int k = 0; k < 64; k++)\n            s += part[k];\n"
    "        for (int k = 0; k < 3; k++)\n            s = s * 0.5f;\n        y[blockIdx.x] = s;\n"
    "    }\n}\n";

static const char tmpl[] =
    "// ks: optimize\n// ks: workload let(n=640) in(x[n]) out(y[n]) set(a=3)\n"
    "// ks: grid(ceildiv(n,64)) block(64)\n"
    "template <class T, int B> __global__ void scaled(const T *x, T *y, T a, int n)\n{\n"
    "    int i = blockIdx.x * B + threadIdx.x;\n    if (i < n)\n        y[i] = a * x[i] + T(B);\n}\n"
    "static void scaled(const float *x, float *y, float a, int n)\n"
    "{\n    scaled<float, 64>(x, y, a, n);\n}\n";

static struct ks_arena arena;

static struct ks_proposal *made(struct host_case *c, const char *options)
{
    struct ks_err err = {0};
    struct ks_subject *subject = KS_NEW(&arena, struct ks_subject);
    struct ks_options o = {0};
    struct ks_proposal *proposal = KS_NEW(&arena, struct ks_proposal);
    if (ks_subject_make(&arena, &c->brief, subject, &err) != KS_OK ||
        ks_options_read(options, &o, &err) != KS_OK ||
        ks_emit(subject, &o, proposal, &err) != KS_OK)
        fail_msg("%s: %s", options, err.text);
    return proposal;
}

static void barriers_are_kept(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 63, 640, 1021};
    struct host_case c;
    host_case_make(&arena, block_sums, NULL, NULL, 0, &c);
    struct ks_proposal *p[] = {made(&c, "unroll=4"), made(&c, "bounds=3")};
    assert_int_equal(host_run(&arena, &c, p, 2, sizes, 4, true, true, 0), 16);
    // The loop that has a pragma keeps it; the other gets one.
    assert_non_null(strstr(p[0]->source, "_Pragma(\"unroll 2\")"));
    assert_non_null(strstr(p[0]->source, "_Pragma(\"unroll 4\") for (int k = 0; k < 3"));
    assert_non_null(strstr(p[1]->source, "__launch_bounds__(64, 2)"));
    assert_null(strstr(p[1]->source, "#pragma"));
    host_nvcc(&arena, &c, p[0], NULL);
}

static void pointers_apart_are_guarded(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_buf when = KS_BUF(4096);
    host_case_make(&arena, block_sums, NULL, NULL, 0, &c);
    struct ks_proposal *p = made(&c, "restrict=1");
    ks_expr_print(&when, p->when, NULL, NULL);
    assert_string_equal(ks_buf_text(&when), "!overlap(y, ceildiv(n, 64) * 4, x, n * 4)");
    assert_non_null(strstr(p->source, "__restrict__ x"));
    assert_non_null(strstr(p->source, "__restrict__ y"));
    ks_buf_free(&when);
}

static void instances_stand_on_their_own(void **state)
{
    (void)state;
    static const char *const types[] = {"float const*", "float*", "float", "int"};
    static const char *const args[] = {"float", "64"};
    static const int64_t sizes[] = {1, 63, 640, 1021};
    struct host_case c;
    host_case_make(&arena, tmpl, types, args, 2, &c);
    struct ks_proposal *p[] = {made(&c, "block=128 items=2"), made(&c, "width=4")};
    assert_non_null(strstr(p[0]->source, "typedef float T;"));
    assert_non_null(strstr(p[0]->source, "constexpr int B = 64;"));
    assert_int_equal(host_run(&arena, &c, p, 2, sizes, 4, false, false, 0), 8 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_are_kept),
        cmocka_unit_test(pointers_apart_are_guarded),
        cmocka_unit_test(instances_stand_on_their_own),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    host_clean();
    return failed;
}
