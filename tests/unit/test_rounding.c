// verify/rounding: what random rounding does to PTX, seen by running it on the emulated device.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../emu/emu_run.h"
#include "verify/rounding.h"

#define THREADS 128
#define RESULTS 8

// Each thread: a sum that is not exact, one that is, a difference that is zero, an inexact sum under a predicate that
// is false, one rounded up on purpose, a product and a saturated one, and an approximate square root.
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n"
    "\t.reg .pred \t%p<2>;\n\t.reg .f32 \t%f<16>;\n\t.reg .b32 \t%r<8>;\n\t.reg .b64 \t%rd<8>;\n\n"
    "\tld.param.u64 \t%rd1, [k_param_0];\n\tmov.u32 \t%r1, %tid.x;\n"
    "\tmul.wide.u32 \t%rd2, %r1, 32;\n\tadd.s64 \t%rd3, %rd1, %rd2;\n"
    "\tmov.f32 \t%f1, 0f3F800000;\n\tmov.f32 \t%f2, 0f30800000;\n" // 1 and 2^-30
    "\tadd.f32 \t%f3, %f1, %f2; // a comment; with a semicolon\n"
    "\tadd.rn.f32 \t%f4, %f1, %f1;\n"
    "\tsub.f32 \t%f5, %f1, %f1;\n"
    "\tsetp.eq.u32 \t%p1, %r1, 1000;\n\tmov.f32 \t%f6, 0f40000000;\n"
    "\t@%p1 add.f32 \t%f6, %f1, %f2;\n"
    "\tadd.rp.f32 \t%f7, %f1, %f2;\n"
    "\tmov.f32 \t%f8, 0f3F800001;\n\tmul.f32 \t%f8, %f8, %f8;\n"
    "\tfma.rn.ftz.sat.f32 \t%f9, %f1, %f1, %f2;\n"
    "\tsqrt.approx.f32 \t%f10, %f1;\n"
    "\tst.global.v4.f32 \t[%rd3], {%f3, %f4, %f5, %f6};\n"
    "\tst.global.v4.f32 \t[%rd3+16], {%f7, %f8, %f9, %f10};\n\tret;\n\n}\n";

static float out[2][THREADS][RESULTS];

static void run(struct ks_slice ptx)
{
    struct emu_run emu;
    emu_open(&emu);
    if (emu_load(&emu, ptx.at, ptx.len) != KS_OK)
        fail_msg("%s", emu.err.text);
    size_t buffer = emu_buffer(&emu, NULL, sizeof out[0]);
    for (int i = 0; i < 2; i++) {
        if (emu_launch(&emu, "k", 1, THREADS, 0) != KS_OK)
            fail_msg("%s", emu.err.text);
        emu_read(&emu, buffer, out[i], sizeof out[i]);
    }
    emu_close(&emu);
}

static int count(int launch, int result, float value)
{
    int n = 0;
    for (int t = 0; t < THREADS; t++)
        n += memcmp(&out[launch][t][result], &value, sizeof value) == 0;
    return n;
}

static void each_result_is_a_neighbour(void **state)
{
    (void)state;
    struct ks_buf buf = KS_BUF(1 << 20);
    const float above = 0x1.000002p0f, below = 0x1.fffffep-1f, square = 0x1.000004p0f;
    run((struct ks_slice){text, sizeof text - 1});
    assert_int_equal(count(0, 0, 1), THREADS);
    ks_rounding_text((struct ks_slice){text, sizeof text - 1}, &buf);
    run((struct ks_slice){buf.data, buf.len});
    for (int i = 0; i < 2; i++) {
        // By chance: of 128 throws between 30 and 98 but for one time in 10^9.
        assert_in_range(count(i, 0, above), 30, 98);
        assert_int_equal(count(i, 0, above) + count(i, 0, 1), THREADS);
        assert_int_equal(count(i, 1, 2), THREADS);
        assert_int_equal(count(i, 2, 0), THREADS); // not -0
        assert_int_equal(count(i, 3, 2), THREADS);
        assert_int_equal(count(i, 4, above), THREADS);
        assert_in_range(count(i, 5, square), 30, 98);
        assert_int_equal(count(i, 5, square) + count(i, 5, 0x1.000006p0f), THREADS);
        assert_int_equal(count(i, 6, 1), THREADS); // saturated both ways
        assert_in_range(count(i, 7, above), 30, 98);
        assert_int_equal(count(i, 7, above) + count(i, 7, below), THREADS);
    }
    int differ = 0;
    for (int t = 0; t < THREADS; t++)
        differ += out[0][t][0] != out[1][t][0];
    assert_in_range(differ, 30, 98); // a launch throws anew
    ks_buf_free(&buf);
}

// The same in double: a sum that is not exact, one that is, and an approximate reciprocal root.
static const char text64[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n"
    "\t.reg .f64 \t%fd<16>;\n\t.reg .b32 \t%r<8>;\n\t.reg .b64 \t%rd<8>;\n\n"
    "\tld.param.u64 \t%rd1, [k_param_0];\n\tmov.u32 \t%r1, %tid.x;\n"
    "\tmul.wide.u32 \t%rd2, %r1, 32;\n\tadd.s64 \t%rd3, %rd1, %rd2;\n"
    "\tmov.f64 \t%fd1, 0d3FF0000000000000;\n\tmov.f64 \t%fd2, 0d3C30000000000000;\n" // 1 and 2^-60
    "\tadd.f64 \t%fd3, %fd1, %fd2;\n"
    "\tfma.rn.f64 \t%fd4, %fd1, %fd1, 0d3FF0000000000000;\n"
    "\trsqrt.approx.f64 \t%fd5, %fd1;\n"
    "\tst.global.v2.f64 \t[%rd3], {%fd3, %fd4};\n"
    "\tst.global.v2.f64 \t[%rd3+16], {%fd5, %fd1};\n\tret;\n\n}\n";

static int count64(int result, double value)
{
    int n = 0;
    for (int t = 0; t < THREADS; t++)
        n += memcmp(&out[0][t][2 * result], &value, sizeof value) == 0;
    return n;
}

static void doubles_are_rounded_too(void **state)
{
    (void)state;
    struct ks_buf buf = KS_BUF(1 << 20);
    const double above = 0x1.0000000000001p0, below = 0x1.fffffffffffffp-1;
    ks_rounding_text((struct ks_slice){text64, sizeof text64 - 1}, &buf);
    run((struct ks_slice){buf.data, buf.len});
    assert_in_range(count64(0, above), 30, 98);
    assert_int_equal(count64(0, above) + count64(0, 1), THREADS);
    assert_int_equal(count64(1, 2), THREADS);
    assert_in_range(count64(2, above), 30, 98);
    assert_int_equal(count64(2, above) + count64(2, below), THREADS);
    assert_int_equal(count64(3, 1), THREADS);
    ks_buf_free(&buf);
}

static struct ks_buf rounded(const char *ptx)
{
    struct ks_buf buf = KS_BUF(1 << 20);
    ks_rounding_text((struct ks_slice){ptx, strlen(ptx)}, &buf);
    return buf;
}

// What is no fp32 arithmetic of ours to round stays as it is.
static void other_text_stays(void **state)
{
    (void)state;
    static const char *const same[] = {
        "\tadd.s32 \t%r1, %r2, %r3;\n", "\tadd.rz.f64 \t%fd1, %fd2, %fd3;\n", "\tadd.rz.f32 \t%f1, %f2, %f3;\n",
        "\tmax.f32 \t%f1, %f2, %f3;\n", "\tadd.f32x2 \t%rd1, %rd2, %rd3;\n", "\tcvt.rn.f16.f32 \t%rs1, %f1;\n",
        "\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};\n",
        "\tfma.rn.f64 \t%fd3, %fd2, 0d3FF71547652B82FE, 0d4338000000000000;\n", // cuts a fraction off
        "\tadd.f64 \t%fd4, %fd3, 0dC338000000000000;\n",
        "\tmov.f64 \t%fd7, 0d4338000000000000;\n\tfma.rn.f64 \t%fd8, %fd5, %fd6, %fd7;\n", "\trcp.approx.ftz.f64 \t%fd1, %fd2;\n",
        "\t{add.f32 %f1, %f2, %f3;}\n", "\tadd.f32 %f1, %f2, %f3; add.f32 %f1, %f2, %f3;\n", "\tadd.f32;\n", ";\n"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char ptx[512];
        snprintf(ptx, sizeof ptx, ".func f()\n{\n%s}\n", same[i]);
        struct ks_buf buf = rounded(ptx);
        assert_non_null(strstr(ks_buf_text(&buf), same[i]));
        assert_null(strstr(ks_buf_text(&buf), "selp"));
        ks_buf_free(&buf);
    }
}

// Declarations have no body, and other braces are none.
static void only_bodies_are_rounded(void **state)
{
    (void)state;
    static const char ptx[] = ".extern .func f(.param .b32 a);\n.section .debug_str\n{\n\tadd.f32 \t%f1, %f2, %f3;\n}\n";
    struct ks_buf buf = rounded(ptx);
    assert_string_equal(ks_buf_text(&buf), ptx);
    ks_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_result_is_a_neighbour),
        cmocka_unit_test(doubles_are_rounded_too),
        cmocka_unit_test(other_text_stays),
        cmocka_unit_test(only_bodies_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
