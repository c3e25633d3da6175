// What the emulated device makes of PTX that is damaged, hostile or beyond it: one clear error, and
// never a crash, a hang or memory without end.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "device/emu/emu_device.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

// All that the parser knows in few lines; lines are counted by the tests.
static const char sample[] =
    HEAD
    ".global .align 4 .b8 table[8] = {1, 2, 3, 0x4, -5};\n"
    ".const .align 8 .f64 half[2] = {0d3FE0000000000000, 0d0000000000000000};\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".func (.param .b32 ret) twice(.param .b32 x)\n{\n"
    "\t.reg .b32 %r<3>;\n\tld.param.u32 %r1, [x];\n\tshl.b32 %r2, %r1, 1;\n"
    "\tst.param.b32 [ret], %r2;\n\tret;\n}\n"
    ".visible .entry k(.param .u64 out, .param .u32 n)\n.maxntid 256, 1, 1\n{\n"
    "\t.reg .pred %p<3>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<5>;\n\t.local .align 4 .b8 loc[16];\n"
    "\t.loc 1 7 3\n\tld.param.u64 %rd1, [out];\n\tld.param.u32 %r1, [n];\n"
    "\tmov.u32 %r2, %tid.x;\n\tsetp.ge.u32 %p1, %r2, %r1;\n\t@%p1 bra $done;\n"
    "\t{ .reg .b32 t; add.u32 t, %r2, 5; mov.u32 %r3, t; }\n"
    "\t{\n\t.param .b32 a;\n\tst.param.b32 [a+0], %r3;\n\t.param .b32 r;\n"
    "\tcall.uni (r), twice, (a);\n\tld.param.b32 %r4, [r+0];\n\t}\n"
    "\tmul.wide.u32 %rd2, %r2, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n\tst.global.u32 [%rd3], %r4;\n"
    "$done:\n\tret;\n}\n\t.file 1 \"some.cu\"\n";

static enum ks_status load(const char *text, size_t n, struct ks_err *err)
{
    struct ks_device device;
    void *module, *function;
    assert_int_equal(ks_device_open_emu(&device, err), KS_OK);
    enum ks_status status = device.module(device.self, (struct ks_slice){text, n}, &module, err);
    if (status == KS_OK)
        status = device.function(device.self, module, "k", &function, NULL, err);
    device.close(device.self);
    return status;
}

// Runs entry k with one buffer of 64 words and n, and `shared` bytes a block.
static enum ks_status run_shared(const char *text, size_t n, unsigned block, unsigned shared, int *out,
                                 struct ks_err *err)
{
    struct ks_device device;
    struct ks_dev_buffer placed;
    struct ks_dev_arg args[2] = {{.kind = KS_DARG_BUFFER},
                                 {.kind = KS_DARG_BYTES, .bytes = {40}, .size = 4}};
    struct ks_dev_step step = {.grid = {1, 1, 1}, .block = {block, 1, 1}, .shared = shared,
                               .args = args, .n_args = 2};
    struct ks_dev_plan plan = {&step, 1};
    void *module;
    assert_int_equal(ks_device_open_emu(&device, err), KS_OK);
    ks_emu_device_settings(&device)->budget = 600;
    enum ks_status status = device.module(device.self, (struct ks_slice){text, n}, &module, err);
    if (status == KS_OK)
        status = device.function(device.self, module, "k", &step.function, NULL, err);
    if (status == KS_OK)
        status = device.alloc(device.self, 256, 4, KS_FLUSH_END, &args[0].buffer, &placed, err);
    if (status == KS_OK)
        status = device.run(device.self, &plan, NULL, err);
    if (status == KS_OK && out != NULL)
        status = device.read(device.self, args[0].buffer, 0, out, 256, err);
    device.close(device.self);
    return status;
}

static enum ks_status run_k(const char *text, size_t n, unsigned block, int *out,
                            struct ks_err *err)
{
    return run_shared(text, n, block, 0, out, err);
}

// What a GPU of the code's architecture could not launch is not launched here: figures of the CUDA C++
// programming guide, "Compute Capabilities".
static void a_block_has_its_architectures_shared_memory(void **state)
{
    (void)state;
    static const struct { const char *arch; unsigned kib; } most[] = {
        {"80", 163}, {"86", 99}, {"89", 99}, {"90", 227}};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        char text[sizeof sample], named[64];
        struct ks_err err = {0};
        memcpy(text, sample, sizeof text);
        memcpy(strstr(text, "sm_80") + 3, most[i].arch, 2);
        assert_int_equal(run_shared(text, sizeof text - 1, 64, most[i].kib << 10, NULL, &err), KS_OK);
        assert_int_equal(run_shared(text, sizeof text - 1, 64, (most[i].kib << 10) + 1, NULL, &err), KS_E_LIMIT);
        snprintf(named, sizeof named, "%u bytes of shared memory a block; sm_%s has %u", (most[i].kib << 10) + 1,
                 most[i].arch, most[i].kib << 10);
        assert_non_null(strstr(err.text, named));
    }
}

static void runs_the_sample(void **state)
{
    (void)state;
    struct ks_err err = {0};
    int out[64];
    assert_int_equal(run_k(sample, sizeof sample - 1, 64, out, &err), KS_OK);
    for (int i = 0; i < 40; i++)
        assert_int_equal(out[i], 2 * (i + 5));
}

static void says_where_it_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        enum ks_status status;
    } cases[] = {
        {"", ".target", KS_E_FORMAT},
        {"hello", "line 1: a directive is expected", KS_E_FORMAT},
        {".version 8.0\n.target sm_80\n.address_size 32\n", "line 3: 32-bit", KS_E_UNSUPPORTED},
        {HEAD ".entry k(\n", "the text ends", KS_E_FORMAT},
        {HEAD ".entry k() {\n ret;\n", "'}' is expected", KS_E_FORMAT},
        {HEAD ".entry k()\n{\n bra $nowhere;\n}\n", "line 6: there is no label $nowhere",
         KS_E_FORMAT},
        {HEAD ".entry k()\n{\n add.s32 %r1 %r2;\n}\n", "line 6: ',' or ';'", KS_E_FORMAT},
        {HEAD ".entry k()\n{\n .reg .b32 %r<99999999>;\n}\n", "number of registers", KS_E_FORMAT},
        {HEAD ".entry k()\n{\n .reg .b64 %r<1000000>;\n}\n", "bytes of registers",
         KS_E_UNSUPPORTED},
        {HEAD ".global .b8 x[999999999999];\n", "smaller array", KS_E_FORMAT},
        {HEAD ".global .b8 x[99999999][99999999];\n", "smaller array", KS_E_FORMAT},
        {HEAD ".global .b8 x[1] = {1, 2};\n", "longer than the variable", KS_E_FORMAT},
        {HEAD ".entry j() { ret; }\n", "no kernel k", KS_E_ABSENT},
        {HEAD ".nonsense k;\n", "unknown directive .nonsense", KS_E_FORMAT},
        {"\177ELF", "machine code", KS_E_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ks_err err = {0};
        assert_int_equal(load(cases[i].text, strlen(cases[i].text), &err), cases[i].status);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
}

// What is not supported stops the kernel that comes there, with its name and line, and no other.
static void names_what_is_not_supported(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [t, {%f1, %f1}];",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f1, %f1, %f1}, %rd1, %rd1, 1, 1, 1;",
        "nosuch.instruction %r1, %r2;",
        "add.s32 %r1, %rd1, 5;",
        "ld.global.b128 %r1, [%rd1];",
        "call (r), nowhere, ();",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (int reached = 0; reached < 2; reached++) {
            char text[1000];
            struct ks_err err = {0};
            int n = snprintf(text, sizeof text,
                             HEAD ".entry k(.param .u64 o, .param .u32 n)\n{\n.reg .f32 %%f<2>;\n"
                                  ".reg .b32 %%r<3>;\n.reg .b64 %%rd<2>;\n%s\n%s\nend:\nret;\n}\n",
                             reached ? "" : "bra end;", lines[i]);
            enum ks_status status = run_k(text, (size_t)n, 32, NULL, &err);
            assert_int_equal(status, reached ? KS_E_UNSUPPORTED : KS_OK);
            if (reached && strstr(err.text, "PTX line 10") == NULL)
                fail_msg("'%s' does not name line 10", err.text);
        }
}

// Slots of a call are copied as the function's parameters: one of another size is none of them.
static void checks_what_calls_pass(void **state)
{
    (void)state;
    static const char *const calls[] = {"call.uni (r), f, (a);", "call (r), %rd1, (a), P;"};
    for (int i = 0; i < 2; i++)
        for (int large = 0; large < 4; large++) {
            char text[1500];
            struct ks_err err = {0};
            int n = snprintf(text, sizeof text,
                             HEAD ".func (.param .b8 q[%d]) f(.param .b8 x[%d])\n{\nret;\n}\n"
                                  ".entry k(.param .u64 o, .param .u32 n)\n{\n.reg .b64 %%rd<2>;\n"
                                  "mov.u64 %%rd1, f;\n{\n.param .b32 a;\n.param .b32 r;\n"
                                  "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n%s\n}\n"
                                  "ret;\n}\n",
                             large & 1 ? 30000 : 4, large & 2 ? 30000 : 4, calls[i]);
            enum ks_status status = run_k(text, (size_t)n, 32, NULL, &err);
            assert_int_equal(status, large == 0 ? KS_OK : i == 0 ? KS_E_UNSUPPORTED : KS_E_DEVICE);
            if (large != 0 && strstr(err.text, i == 0 ? "do not fit" : "is no function for") == NULL)
                fail_msg("'%s' for %s", err.text, calls[i]);
        }
}

static void refuses_absurd_launches(void **state)
{
    (void)state;
    struct ks_err err = {0};
    assert_int_equal(run_k(sample, sizeof sample - 1, 0, NULL, &err), KS_E_LIMIT);
    assert_int_equal(run_k(sample, sizeof sample - 1, 257, NULL, &err), KS_E_LIMIT); // .maxntid
    static const char other[] = HEAD ".entry k(.param .u64 o) { ret; }\n";
    assert_int_equal(run_k(other, sizeof other - 1, 32, NULL, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "takes 1 arguments, the plan gives 2"));
    static const char narrow[] = HEAD ".entry k(.param .u64 o, .param .u64 n) { ret; }\n";
    assert_int_equal(run_k(narrow, sizeof narrow - 1, 32, NULL, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "argument 2 has 4 bytes"));
}

static void survives_truncation(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof sample - 1; n++) {
        struct ks_err err = {0};
        enum ks_status status = run_k(sample, n, 64, NULL, &err);
        if (status == KS_OK && n < sizeof sample - 60) // what comes last is only the .file
            fail_msg("%zu bytes of %zu are taken for a kernel", n, sizeof sample - 1);
    }
}

// Bytes changed, lines moved: whatever it is, it ends, within the budget of 600 instructions of warps.
static void survives_damage(void **state)
{
    (void)state;
    struct ks_rng rng;
    static const char bytes[] = "0123456789%.,;:[]{}()<>@!-+|_$ \n\trspbuf";
    ks_rng_seed(&rng, 7);
    for (int round = 0; round < 4000; round++) {
        char text[sizeof sample];
        struct ks_err err = {0};
        memcpy(text, sample, sizeof text);
        int changes = 1 + (int)ks_rng_below(&rng, 6);
        for (int i = 0; i < changes; i++) {
            size_t at = (size_t)ks_rng_below(&rng, sizeof sample - 1);
            text[at] = bytes[ks_rng_below(&rng, sizeof bytes - 1)];
            if (ks_rng_below(&rng, 4) == 0) {
                size_t from = (size_t)ks_rng_below(&rng, sizeof sample - 20);
                memmove(text + (at < sizeof sample - 20 ? at : 0), text + from, 12);
            }
        }
        run_k(text, sizeof text - 1, 64, NULL, &err);
    }
}

// Buffers are written and read in parts, and never beyond their ends.
static void keeps_within_a_buffer(void **state)
{
    (void)state;
    struct ks_device device;
    struct ks_dev_buffer placed;
    struct ks_err err = {0};
    const int two[2] = {7, 8};
    int out[4] = {0};
    size_t b;
    assert_int_equal(ks_device_open_emu(&device, &err), KS_OK);
    assert_int_equal(device.alloc(device.self, 16, 4, KS_FLUSH_END, &b, &placed, &err), KS_OK);
    assert_int_equal(device.poison(device.self, b, 1, &err), KS_OK);
    assert_int_equal(device.write(device.self, b, 4, two, 8, &err), KS_OK);
    assert_int_equal(device.read(device.self, b, 0, out, 16, &err), KS_OK);
    assert_true(out[0] == 1 && out[1] == 7 && out[2] == 8 && out[3] == 1);
    assert_int_equal(device.read(device.self, b, 8, out, 4, &err), KS_OK);
    assert_int_equal(out[0], 8);
    assert_int_equal(device.read(device.self, b, 16, out, 0, &err), KS_OK);
    static const int64_t bad[][2] = {{0, 17}, {12, 5}, {17, 0}, {-4, 4}, {0, -1}, {INT64_MAX, 8}, {8, INT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(device.read(device.self, b, bad[i][0], out, bad[i][1], &err), KS_E_USER);
        assert_int_equal(device.write(device.self, b, bad[i][0], two, bad[i][1], &err), KS_E_USER);
    }
    device.close(device.self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_the_sample),
        cmocka_unit_test(a_block_has_its_architectures_shared_memory),
        cmocka_unit_test(keeps_within_a_buffer),
        cmocka_unit_test(says_where_it_is_wrong),
        cmocka_unit_test(names_what_is_not_supported),
        cmocka_unit_test(checks_what_calls_pass),
        cmocka_unit_test(refuses_absurd_launches),
        cmocka_unit_test(survives_truncation),
        cmocka_unit_test(survives_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
