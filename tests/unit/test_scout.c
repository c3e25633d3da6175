// What the emulated device is asked before a GPU is (verify/scout.h), at a unit compiled by the real nvcc. There is no GPU
// here, and no worker of one can be started: whatever goes on to it fails.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "verify/scout.h"
#include "verify/session.h"
#include "../fakes/real_tu.h"

static const char source_text[] =
    "#pragma ks optimize\n"
    "#pragma ks workload let(n=300) let(m=50) in(table[m]) in(at[n]) out(y[n]) grid(ceildiv(n,32)) block(32)\n"
    "#pragma ks workload let(n=300) let(m=500) in(table[m]) in(at[n]) out(y[n]) grid(ceildiv(n,32)) block(32)\n"
    "#pragma ks workload let(n=1<<20) let(m=50) in(table[m]) in(at[n]) out(y[n]) grid(ceildiv(n,32)) block(32)\n"
    "__global__ void lookup(const float *table, const int *at, float *y, int n, int m)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] = table[at[i]];\n"
    "}\n";

static struct real_tu unit;
static struct ks_judge *judge;

static int open_unit(void **state)
{
    (void)state;
    struct ks_err err = {0};
    real_tu_open(&unit, "lookup.cu", source_text);
    struct ks_judge_options options = {.emulator = ks_path_join(&unit.arena, ks_program_dir(&unit.arena),
                                                                "../bin/ks-worker"),
                                       .worker = ks_path_join(&unit.arena, unit.dir, "no-worker"),
                                       .device = "cuda", .seed = 5, .work_dir = unit.dir,
                                       .shadow_root = ks_path_join(&unit.arena, unit.dir, "shadow")};
    check(ks_judge_open_gates(&unit.arena, &unit.tu, &unit.tu.kernels[0], &unit.plain, &options, &judge, &err),
          &err);
    const char *name = judge->kernel->signature->registered;
    check(ks_judge_text(&unit.arena, &unit.plain, 90, &name, &judge->original_text, &err), &err);
    return 0;
}

static int close_unit(void **state)
{
    (void)state;
    ks_judge_close(judge);
    real_tu_close(&unit);
    return 0;
}

// A vector of a workload, of which nothing says what the indices are: 0 to 99 come.
static enum ks_status make(size_t workload, struct ks_vector *vector)
{
    struct ks_err err = {0};
    struct ks_problem *problem = KS_NEW(&unit.arena, struct ks_problem);
    const struct ks_tu_mark *mark = judge->kernel->mark;
    check(ks_problem_make(&unit.arena, mark->mark, workload, judge->kernel->signature, mark->decl, NULL, 0, problem, &err), &err);
    return ks_vector_make(judge, &unit.arena, problem, KS_FAMILY_DECLARED, 0, KS_SKEW_NONE, vector, &err);
}

static void the_gpu_is_asked_first(void **state)
{
    (void)state;
    struct ks_vector vector;
    judge->faults = 2;
    assert_int_not_equal(make(0, &vector), KS_OK);
    assert_null(judge->scout);
}

static void what_fails_for_certain_costs_no_context(void **state)
{
    (void)state;
    struct ks_vector vector;
    judge->faults = 3;
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(make(0, &vector), KS_OK);
        assert_true(vector.excluded && !vector.hung);
        assert_non_null(strstr(vector.why, "fault: out-of-bounds: 4-byte read"));
        ks_vector_free(&vector);
    }
}

static void the_rest_goes_to_the_gpu(void **state)
{
    (void)state;
    struct ks_vector vector;
    judge->faults = 3;
    assert_int_not_equal(make(1, &vector), KS_OK);
    assert_int_not_equal(make(2, &vector), KS_OK); // too large to be asked in passing
}

int main(void)
{
    if (!real_nvcc())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gpu_is_asked_first),
        cmocka_unit_test(what_fails_for_certain_costs_no_context),
        cmocka_unit_test(the_rest_goes_to_the_gpu),
    };
    return cmocka_run_group_tests(tests, open_unit, close_unit);
}
