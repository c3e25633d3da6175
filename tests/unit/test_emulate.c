// The second look on the emulated device (verify/emulate.h), at a unit compiled by the real nvcc: what is
// measured in double for a GPU's verdict is measured there as well.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "fmt/yaml.h"
#include "verify/emulate.h"
#include "verify/session.h"
#include "verify/wide.h"
#include "../fakes/real_tu.h"

static const char source_text[] =
    "#pragma ks optimize\n"
    "#pragma ks workload let(rows=8,cols=600) in(x[rows*cols]=normal(10,1)) out(y[rows]) "
    "grid(ceildiv(rows,32)) block(32)\n"
    "__global__ void variance(const float *x, float *y, int rows, int cols)\n"
    "{\n"
    "    int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (row >= rows)\n"
    "        return;\n"
    "    float sum = 0, squares = 0;\n"
    "    for (int i = 0; i < cols; i++)\n"
    "        sum += x[row * cols + i];\n"
    "    for (int i = 0; i < cols; i++) {\n"
    "        float d = x[row * cols + i] - sum / cols;\n"
    "        squares += d * d;\n"
    "    }\n"
    "    y[row] = squares / cols;\n"
    "}\n";

static struct real_tu unit;
static struct ks_judge *judge;

// Compiles nothing: whoever hands out what it built before, as the recorder of searches does, puts one like it in
// the place of the judge's own. What the original is measured by must not depend on that.
static enum ks_status hand_out(struct ks_judge *j, struct ks_proposal *const *proposals, size_t n,
                               enum ks_build_way way, struct ks_candidate **candidates, struct ks_err *err)
{
    (void)j, (void)proposals, (void)n, (void)way, (void)candidates;
    KS_FAIL(err, KS_E_INTERNAL, "not built before");
}

static int open_unit(void **state)
{
    (void)state;
    struct ks_err err = {0};
    real_tu_open(&unit, "variance.cu", source_text);
    struct ks_judge_options options = {.emulator = ks_path_join(&unit.arena, ks_program_dir(&unit.arena),
                                                                "../bin/ks-worker"),
                                       .device = "cuda", .seed = 5, .work_dir = unit.dir,
                                       .shadow_root = ks_path_join(&unit.arena, unit.dir, "shadow")};
    check(ks_judge_open_gates(&unit.arena, &unit.tu, &unit.tu.kernels[0], &unit.plain, &options, &judge, &err),
          &err);
    const char *name = judge->kernel->signature->registered;
    check(ks_judge_text(&unit.arena, &unit.plain, 90, &name, &judge->original_text, &err), &err);
    judge->build = hand_out;
    return 0;
}

static int close_unit(void **state)
{
    (void)state;
    ks_judge_close(judge);
    real_tu_close(&unit);
    return 0;
}

// `term`: what is squared, of the value v and the mean.
static struct ks_emulation look_at(const char *term)
{
    struct ks_err err = {0};
    struct ks_yaml *root;
    struct ks_proposal *p = KS_NEW(&unit.arena, struct ks_proposal);
    struct ks_candidate *candidate;
    struct ks_emulation e;
    const char *text = ks_arena_printf(&unit.arena,
        "params: [x, y, rows, cols]\nsource: |\n"
        "  __device__ float all(float v)\n  {\n"
        "      for (int step = 16; step > 0; step /= 2)\n"
        "          v += __shfl_xor_sync(0xffffffffu, v, step);\n      return v;\n  }\n"
        "  __global__ void k(const float *x, float *y, int rows, int cols)\n  {\n"
        "      float sum = 0, squares = 0;\n"
        "      for (int i = threadIdx.x; i < cols; i += 32)\n          sum += x[blockIdx.x * cols + i];\n"
        "      float mean = all(sum) / cols;\n"
        "      for (int i = threadIdx.x; i < cols; i += 32) {\n"
        "          float v = x[blockIdx.x * cols + i], d = %s;\n          squares += d * d;\n      }\n"
        "      squares = all(squares);\n      if (threadIdx.x == 0)\n          y[blockIdx.x] = squares / cols;\n  }\n"
        "plan:\n  - {kernel: k, grid: [rows], block: [32], args: [x, y, rows, cols]}\n", term);
    check(ks_yaml_parse(&unit.arena, "p.yaml", ks_slice_of(text), &root, &err), &err);
    check(ks_proposal_read(&unit.arena, "p.yaml", root, p, &err), &err);
    check(ks_judge_build(judge, &p, 1, false, &candidate, &err), &err);
    assert_int_equal(candidate->failure, KS_C_CORRECT);
    struct ks_second_look look = {0};
    check(ks_second_look_end(&look, judge, candidate, &e, &err), &err);
    return e;
}

// The unit in double, begun beside other compiles: who asks first waits for it, and nobody makes another.
static void what_was_begun_is_waited_for(void **state)
{
    (void)state;
    judge->options.compilers = 1; // none to spare
    ks_wide_begin(judge);
    assert_null(judge->wide.ahead);
    judge->options.compilers = 2;
    ks_wide_begin(judge);
    judge->options.compilers = 0;
    assert_non_null(judge->wide.ahead);
    assert_false(judge->wide.tried);
    struct ks_emulation e = look_at("v - mean");
    assert_int_equal(e.verdict, KS_C_CORRECT);
    assert_true(judge->wide.tried && judge->wide.absent == NULL && judge->wide.text.len > 0);
    assert_ptr_equal(judge->second->wide.text.at, judge->wide.text.at);
}

static void an_honest_order_of_a_sum_is_right(void **state)
{
    (void)state;
    struct ks_emulation e = look_at("v - mean");
    if (e.verdict != KS_C_CORRECT)
        fail_msg("%s: %s", ks_correctness_name(e.verdict), e.reason);
    assert_true(e.runs > 0);
}

static void fewer_bits_are_wrong(void **state)
{
    (void)state;
    struct ks_emulation e = look_at("__uint_as_float(__float_as_uint(v - mean) & 0xffffe000u)");
    assert_int_equal(e.verdict, KS_C_WRONG);
}

int main(void)
{
    if (!real_nvcc())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_begun_is_waited_for),
        cmocka_unit_test(an_honest_order_of_a_sum_is_right),
        cmocka_unit_test(fewer_bits_are_wrong),
    };
    return cmocka_run_group_tests(tests, open_unit, close_unit);
}
