// Numbers of a plan, before anything is compiled or launched.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../fakes/fake_judge.h"

static struct setting setting;

static struct ks_proposal *propose(const char *rest)
{
    struct ks_err err = {0};
    struct ks_arena *arena = &setting.arena;
    struct ks_yaml *root;
    struct ks_proposal *p = KS_NEW(arena, struct ks_proposal);
    const char *text = ks_arena_printf(
        arena, "params: [a, b, c, n]\nsource: \"__global__ void vadd_ok(const float* a, const float* b, "
               "float* c, int n) { }\"\n%s", rest);
    check(ks_yaml_parse(arena, "p.yaml", ks_slice_of(text), &root, &err), &err);
    check(ks_proposal_read(arena, "p.yaml", root, p, &err), &err);
    check(ks_kernels_find(arena, "p", ks_slice_of(p->source), &p->kernels, &err), &err);
    return p;
}

#define STEP(grid, block, more, n)                                                                 \
    "plan:\n  - {kernel: vadd_ok, grid: [" grid "], block: [" block "]" more ", args: [a, b, c, " n "]}\n"

static void what_cannot_be_launched_is_named(void **state)
{
    (void)state;
    static const struct { const char *rest, *why; } cases[] = {
        {STEP("\"n/0\"", "256", "", "n"), "grid.x is undefined: `n / 0` divides by zero; on workload n=4000"},
        {STEP("\"n % (n-n)\"", "256", "", "n"), "grid.x is undefined: `n % (n - n)` divides by zero"},
        {STEP("\"9223372036854775807*n\"", "256", "", "n"), "`9223372036854775807 * n` overflows 64 bits"},
        {STEP("\"-n\"", "256", "", "n"), "grid.x is -4000, below 1; on workload n=4000"},
        {STEP("0", "256", "", "n"), "grid.x is 0, below 1"},
        {STEP("\"1<<31\"", "256", "", "n"), "grid.x is 2147483648, above 2147483647"},
        {STEP("1, 65536", "256", "", "n"), "grid.y"},
        {STEP("1, 1, 65536", "256", "", "n"), "grid.z"},
        {STEP("1", "2048", "", "n"), "block.x is 2048, above 1024"},
        {STEP("1", "1, 1, 65", "", "n"), "block.z"},
        {STEP("1", "64, 32", "", "n"), "1024 threads"},
        {STEP("1", "256", ", shared: 1048576", "n"), "shared memory"},
        {STEP("1", "256", ", shared: \"0-1\"", "n"), "shared memory is -1, below 0"},
        {STEP("1", "256", ", shared: \"nothing\"", "n"), "shared memory is undefined: `nothing` has no value here"},
        {STEP("1", "256", "", "\"n*1000000\""), "argument 4 is 4000000000, which its parameter cannot hold"},
        {STEP("1", "256", "", "\"n/0\""), "argument 4 is undefined: `n / 0` divides by zero"},
        {STEP("1", "256", "", "a"), "argument 4 is not of its parameter's type"},
        {"workspace: {w: \"1<<62\"}\n" STEP("1", "256", "", "n"), "workspace `w` is 4611686018427387904, above half of the"},
        {"workspace: {w: \"0-4\"}\n" STEP("1", "256", "", "n"), "workspace `w` is -4, below 0"},
        {"workspace: {w: \"n/0\"}\n" STEP("1", "256", "", "n"), "workspace `w` is undefined: `n / 0` divides"},
        {"workspace: {v: \"1<<62\", w: \"1<<62\", u: \"1<<62\"}\n" STEP("1", "256", "", "n"), "workspace"},
        {"when: n/0 == 1\n" STEP("1", "256", "", "n"), "the guard is undefined: `n / 0` divides by zero; on workload n=4000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[256] = "";
        if (ks_judge_limits(setting.judge, &setting.arena, propose(cases[i].rest), reason))
            fail_msg("let through: %s", cases[i].rest);
        if (strstr(reason, cases[i].why) == NULL)
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].rest, reason, cases[i].why);
    }
}

static void what_can_be_launched_passes(void **state)
{
    (void)state;
    static const char *const cases[] = {
        STEP("\"ceildiv(n,256)\"", "256", "", "n"),
        STEP("2147483647", "1024", ", shared: 1024", "\"n-1\""),
        "workspace: {w: \"4*n\"}\n" STEP("1, 65535, 65535", "1, 1, 64", "", "n"),
        "when: n < 4000\n" STEP("\"n/0\"", "256", "", "n"), // goes to the original
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[256] = "";
        if (!ks_judge_limits(setting.judge, &setting.arena, propose(cases[i]), reason))
            fail_msg("%s: %s", cases[i], reason);
    }
}

static int open_setting(void **state)
{
    (void)state;
    struct ks_err err = {0};
    check(open_judge(&setting, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err),
          &err);
    return 0;
}

static int close_setting(void **state)
{
    (void)state;
    close_judge(&setting);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_launched_is_named),
        cmocka_unit_test(what_can_be_launched_passes),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
