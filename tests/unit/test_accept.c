// The acceptance rule on simulated timings: kernels against themselves are never faster, a true gain of
// 3 % is found, the looks and bounds are those of research verification.md section 2.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "verify/accept.h"
#include "verify/timing.h"

static double normal(struct ks_rng *rng)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += ks_rng_unit(rng);
    return sum - 6;
}

// One launch of `us` microseconds with relative noise; one in twenty is a slow outlier.
static double launch(struct ks_rng *rng, double us, double noise)
{
    double t = us * (1 + noise * normal(rng));
    return ks_rng_unit(rng) < 0.05 ? t * (1 + ks_rng_unit(rng)) : t;
}

static enum ks_look trial(struct ks_rng *rng, const struct ks_accept_rule *rule, double a_us, double b_us,
                          double noise)
{
    double a[401], b[401];
    size_t n = 0;
    struct ks_paired paired;
    enum ks_look look = KS_LOOK_MORE;
    for (int i = 0; i < KS_LOOKS && look == KS_LOOK_MORE; i++) {
        for (; n < ks_look_pairs(i, a_us); n++) {
            a[n] = launch(rng, a_us, noise);
            b[n] = launch(rng, b_us, noise);
        }
        look = ks_accept_look(rule, i, a, b, n, &paired);
    }
    return look;
}

static void a_kernel_is_never_faster_than_itself(void **state)
{
    (void)state;
    struct ks_rng rng;
    ks_rng_seed(&rng, 42);
    const double noises[] = {0.003, 0.01, 0.02, 0.05};
    const double times[] = {150, 15e3, 25e3, 60e3}; // with other numbers of pairs each
    for (size_t k = 0; k < sizeof noises / sizeof *noises; k++)
        for (int i = 0; i < 3000; i++)
            assert_int_not_equal(trial(&rng, &ks_rule_search, times[i % 4], times[i % 4], noises[k]), KS_LOOK_WIN);
}

static void long_kernels_take_fewer_pairs(void **state)
{
    (void)state;
    const size_t pairs[4][KS_LOOKS] = {{51, 101, 201, 401}, {25, 50, 100, 200}, {12, 25, 50, 100}, {6, 12, 25, 50}};
    const double from[] = {10e3, 20e3, 50e3, 600e3};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < KS_LOOKS; i++)
            assert_int_equal(ks_look_pairs(i, from[k]), pairs[k][i]);
    // The strictest bound exists from the second look on, where a gain may first be taken.
    double a[25], b[25];
    struct ks_paired paired;
    for (int i = 0; i < 25; i++) {
        a[i] = 90e3 + i;
        b[i] = 30e3;
    }
    assert_int_equal(ks_accept_look(&ks_rule_confirm, 0, a, b, 6, &paired), KS_LOOK_MORE);
    assert_int_equal(ks_accept_look(&ks_rule_confirm, 1, a, b, 12, &paired), KS_LOOK_WIN);
    assert_true(ks_median_lower_rank(11, ks_rule_confirm.alpha / KS_LOOKS) == 0); // one fewer, and there is none
    assert_true(paired.lower > 2.99 && paired.lower <= paired.ratio);
}

static void three_percent_is_found(void **state)
{
    (void)state;
    struct ks_rng rng;
    ks_rng_seed(&rng, 43);
    int found = 0, confirmed = 0;
    for (int i = 0; i < 100; i++) {
        found += trial(&rng, &ks_rule_search, 103, 100, 0.01) == KS_LOOK_WIN;
        confirmed += trial(&rng, &ks_rule_confirm, 103, 100, 0.01) == KS_LOOK_WIN;
    }
    assert_true(found >= 95);
    assert_true(confirmed >= 95);
}

static void all_claims_of_a_search_err_less_than_twice_as_often_as_one(void **state)
{
    (void)state;
    double all = 0;
    for (int n = 1; n <= 60; n++) {
        struct ks_accept_rule rule = ks_rule_claim(n);
        all += rule.alpha;
        assert_true(rule.gain == ks_rule_confirm.gain && rule.loss == ks_rule_confirm.loss && rule.min_us == ks_rule_confirm.min_us);
    }
    assert_true(ks_rule_claim(1).alpha == ks_rule_confirm.alpha);
    assert_true(all < 2 * ks_rule_confirm.alpha);
}

static void exactly_the_minimum_gain_is_rarely_taken(void **state)
{
    (void)state;
    struct ks_rng rng;
    ks_rng_seed(&rng, 44);
    int taken = 0;
    for (int i = 0; i < 1000; i++)
        taken += trial(&rng, &ks_rule_search, 101, 100, 0.01) == KS_LOOK_WIN;
    assert_true(taken <= 20); // alpha is 1 %
}

static void the_first_look_only_rejects(void **state)
{
    (void)state;
    double a[401], b[401];
    struct ks_paired paired;
    for (int i = 0; i < 401; i++)
        a[i] = 200, b[i] = 100;
    assert_int_equal(ks_accept_look(&ks_rule_search, 0, a, b, 51, &paired), KS_LOOK_MORE);
    assert_int_equal(ks_accept_look(&ks_rule_search, 1, a, b, 101, &paired), KS_LOOK_WIN);
    assert_int_equal(ks_accept_look(&ks_rule_search, 0, b, a, 51, &paired), KS_LOOK_LOSS);
    assert_int_equal(ks_accept_look(&ks_rule_search, 0, a, a, 51, &paired), KS_LOOK_NO_GAIN);
}

static void a_tiny_absolute_gain_is_not_worth_it(void **state)
{
    (void)state;
    double a[101], b[101];
    struct ks_paired paired;
    for (int i = 0; i < 101; i++)
        a[i] = 2.0, b[i] = 1.8;
    assert_int_equal(ks_accept_look(&ks_rule_search, 1, a, b, 101, &paired), KS_LOOK_NO_GAIN);
    for (int i = 0; i < 101; i++)
        b[i] = 1.6;
    assert_int_equal(ks_accept_look(&ks_rule_search, 1, a, b, 101, &paired), KS_LOOK_WIN);
}

static void bounds_are_the_documented_ranks(void **state)
{
    (void)state;
    const size_t want[KS_LOOKS] = {16, 36, 81, 172};
    for (int i = 0; i < KS_LOOKS; i++)
        assert_int_equal(ks_median_lower_rank(ks_look_pairs(i, 150), 0.01 / KS_LOOKS), want[i]);
}

static void the_control_tells_how_far_it_is_from_itself(void **state)
{
    (void)state;
    double a[51], b[51];
    for (int i = 0; i < 51; i++)
        a[i] = 100, b[i] = i < 25 ? 80 : 100.4;
    assert_true(ks_control_differs(a, b, 51) <= KS_CONTROL_QUIET);
    for (int i = 0; i < 51; i++)
        b[i] = 100.6;
    assert_true(ks_control_differs(a, b, 51) > KS_CONTROL_QUIET);
    assert_true(fabs(ks_control_differs(b, a, 51) - 0.006) < 1e-9);
}

static void memory_sets_a_floor(void **state)
{
    (void)state;
    // 512 MiB over 4280 GB/s with 20 % allowance, 60 MB of which may stay in L2.
    double floor_us = ks_timing_floor_us((int64_t)512 << 20, 60 << 20, 4280);
    assert_true(floor_us > 90 && floor_us < 95);
    assert_true(ks_timing_floor_us(1 << 20, 60 << 20, 4280) == 0);
    assert_true(ks_timing_floor_us(1 << 30, 0, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_never_faster_than_itself),
        cmocka_unit_test(long_kernels_take_fewer_pairs),
        cmocka_unit_test(three_percent_is_found),
        cmocka_unit_test(all_claims_of_a_search_err_less_than_twice_as_often_as_one),
        cmocka_unit_test(exactly_the_minimum_gain_is_rarely_taken),
        cmocka_unit_test(the_first_look_only_rejects),
        cmocka_unit_test(a_tiny_absolute_gain_is_not_worth_it),
        cmocka_unit_test(bounds_are_the_documented_ranks),
        cmocka_unit_test(the_control_tells_how_far_it_is_from_itself),
        cmocka_unit_test(memory_sets_a_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
