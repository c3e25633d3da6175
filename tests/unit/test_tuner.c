// What a budget has room for besides the search itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/tuner.h"

static bool may_profile(double budget, double light_us, double heavy_us)
{
    const struct ks_problem problems[] = {{.weight = 1}, {.weight = 2}};
    const double us[] = {light_us, heavy_us};
    const struct ks_tune_options options = {.budget_seconds = budget};
    const struct ks_tuner t = {.options = &options,
                               .brief = {.problems = problems, .n_problems = 2, .baseline_us = us}};
    return ks_tuner_may_profile(&t);
}

// 22 launches against an eighth of the budget: of the workload that is profiled, the one with the most weight.
static void a_profile_takes_an_eighth_at_most(void **state)
{
    (void)state;
    assert_true(may_profile(12, 1e6, 60e3));
    assert_false(may_profile(12, 1, 70e3));
    assert_true(may_profile(60, 1, 300e3));
    assert_false(may_profile(60, 1, 400e3));
    assert_true(may_profile(1, 0, 0)); // unknown: it is no reason against it
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_takes_an_eighth_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
