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

static struct ks_emulation look_at_text(const char *text)
{
    struct ks_err err = {0};
    struct ks_yaml *root;
    struct ks_proposal *p = KS_NEW(&unit.arena, struct ks_proposal);
    struct ks_candidate *candidate;
    struct ks_emulation e;
    check(ks_yaml_parse(&unit.arena, "p.yaml", ks_slice_of(text), &root, &err), &err);
    check(ks_proposal_read(&unit.arena, "p.yaml", root, p, &err), &err);
    check(ks_judge_build(judge, &p, 1, false, &candidate, &err), &err);
    if (candidate->failure != KS_C_CORRECT)
        fail_msg("%s", candidate->reason);
    struct ks_second_look look = {0};
    check(ks_second_look_end(&look, judge, candidate, &e, &err), &err);
    return e;
}

// `term`: what is squared, of the value v and the mean, by a block a row. `first`: what a block does before. `idle`: blocks that do
// nothing, in a launch of their own.
static struct ks_emulation look_at_rows(const char *term, const char *first, const char *idle)
{
    return look_at_text(ks_arena_printf(&unit.arena,
        "params: [x, y, rows, cols]\nsource: |\n"
        "  __device__ float all(float v)\n  {\n"
        "      for (int step = 16; step > 0; step /= 2)\n"
        "          v += __shfl_xor_sync(0xffffffffu, v, step);\n      return v;\n  }\n"
        "  __global__ void k(const float *x, float *y, int rows, int cols, unsigned *count)\n  {\n"
        "      %s\n"
        "      float sum = 0, squares = 0;\n"
        "      for (int i = threadIdx.x; i < cols; i += 32)\n          sum += x[blockIdx.x * cols + i];\n"
        "      float mean = all(sum) / cols;\n"
        "      for (int i = threadIdx.x; i < cols; i += 32) {\n"
        "          float v = x[blockIdx.x * cols + i], d = %s;\n          squares += d * d;\n      }\n"
        "      squares = all(squares);\n      if (threadIdx.x == 0)\n          y[blockIdx.x] = squares / cols;\n  }\n"
        "  __global__ void nothing()\n  {\n  }\n"
        "workspace: {count: 4}\n"
        "plan:\n  - {memset: count, value: 0}\n"
        "  - {kernel: k, grid: [rows], block: [32], args: [x, y, rows, cols, count]}\n"
        "  - {kernel: nothing, grid: [\"%s\"], block: [32], args: []}\n", first, term, idle));
}

static struct ks_emulation look_at(const char *term)
{
    return look_at_rows(term, "", "1");
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

// On no GPU that runs other blocks beside them; by tickets blocks may wait for those before them.
static void blocks_wait_for_none_behind_them(void **state)
{
    (void)state;
    struct ks_emulation e = look_at_rows("v - mean",
        "if (threadIdx.x == 0) { atomicAdd(count, 1u); while (atomicAdd(count, 0u) < gridDim.x) ; __threadfence(); } __syncwarp();", "1");
    assert_int_equal(e.verdict, KS_C_HANG);
    assert_non_null(strstr(e.reason, "begin behind them"));
    e = look_at_rows("v - mean",
        "if (threadIdx.x == 0) { unsigned mine = atomicAdd(count, 65536u) >> 16; "
        "while ((atomicAdd(count, 0u) & 65535u) < mine) ; __threadfence(); atomicAdd(count, 1u); } __syncwarp();", "1");
    if (e.verdict != KS_C_CORRECT)
        fail_msg("%s: %s", ks_correctness_name(e.verdict), e.reason);
}

// What the GPU's own runs refuse is no matter of this look's.
static void no_launch_proves_nothing(void **state)
{
    (void)state;
    assert_int_equal(look_at_rows("v - mean", "", "rows - 2").verdict, KS_C_CORRECT);
}

int main(void)
{
    if (!real_nvcc())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_begun_is_waited_for),
        cmocka_unit_test(blocks_wait_for_none_behind_them),
        cmocka_unit_test(no_launch_proves_nothing),
        cmocka_unit_test(an_honest_order_of_a_sum_is_right),
        cmocka_unit_test(fewer_bits_are_wrong),
    };
    return cmocka_run_group_tests(tests, open_unit, close_unit);
}
