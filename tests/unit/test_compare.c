// Every rule of the comparator from both sides: what must pass, and the nearest thing that must not.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"
#include "base/rng.h"
#include "verify/compare.h"
#include "verify/vector.h"

static const struct ks_elem f32 = {KS_T_F32, 1, 4, 4}, f64 = {KS_T_F64, 1, 8, 8},
                            f16 = {KS_T_F16, 1, 2, 2}, i32 = {KS_T_I32, 1, 4, 4};
static const struct ks_tolerance derived = {.kind = KS_TOL_DERIVED}, exact = {.kind = KS_TOL_EXACT};

static bool same_f32(const struct ks_tolerance *tolerance, float want, float have, const float *scale,
                     double noise)
{
    struct ks_comparison c;
    ks_compare(tolerance, f32, &want, &have, 1, scale, noise, NULL, &c);
    assert_int_equal(c.compared, 1);
    return c.bad == 0;
}

static float steps(float x, int n)
{
    for (int i = 0; i < abs(n); i++)
        x = nextafterf(x, n > 0 ? INFINITY : -INFINITY);
    return x;
}

static void integers_are_exact(void **state)
{
    (void)state;
    int32_t a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4};
    struct ks_tolerance loose = {.kind = KS_TOL_REL, .rel = 0.5};
    struct ks_comparison c;
    ks_compare(&loose, i32, a, b, 4, NULL, 0, NULL, &c);
    assert_int_equal(c.bad, 0);
    b[2] = 4;
    ks_compare(&loose, i32, a, b, 4, NULL, 0, NULL, &c);
    assert_int_equal(c.bad, 1);
    assert_int_equal(c.first_bad, 2);
}

static void exact_means_bits_but_for_zero_and_nan(void **state)
{
    (void)state;
    assert_true(same_f32(&exact, 1.5f, 1.5f, NULL, 0));
    assert_false(same_f32(&exact, 1.5f, steps(1.5f, 1), NULL, 0));
    assert_true(same_f32(&exact, 0.0f, -0.0f, NULL, 0));
    uint32_t bits[2] = {0x7fc00000, 0xffc12345};
    struct ks_comparison c;
    ks_compare(&exact, f32, &bits[0], &bits[1], 1, NULL, 0, NULL, &c);
    assert_int_equal(c.bad, 0);
}

static void ulps_are_counted_across_zero_and_powers(void **state)
{
    (void)state;
    struct ks_tolerance two = {.kind = KS_TOL_ULP, .ulp = 2};
    assert_true(same_f32(&two, 1.0f, steps(1.0f, 2), NULL, 0));
    assert_true(same_f32(&two, 1.0f, steps(1.0f, -2), NULL, 0));
    assert_false(same_f32(&two, 1.0f, steps(1.0f, 3), NULL, 0));
    assert_true(same_f32(&two, steps(0.0f, 1), steps(0.0f, -1), NULL, 0));
    assert_false(same_f32(&two, steps(0.0f, 2), steps(0.0f, -1), NULL, 0));
}

static void relative_is_of_the_expected_value(void **state)
{
    (void)state;
    struct ks_tolerance tenth = {.kind = KS_TOL_REL, .rel = 0.1};
    assert_true(same_f32(&tenth, 100, 109, NULL, 0));
    assert_false(same_f32(&tenth, 100, 111, NULL, 0)); // 10 % of the candidate's value, not of ours
    assert_false(same_f32(&tenth, 0, 1e-30f, NULL, 0)); // no absolute allowance unless given
    struct ks_tolerance with_abs = {.kind = KS_TOL_REL, .rel = 0.1, .abs = 1e-6};
    assert_true(same_f32(&with_abs, 0, 5e-7f, NULL, 0));
    assert_false(same_f32(&with_abs, 0, 2e-6f, NULL, 0));
}

static void derived_elementwise_is_four_ulp_or_twice_the_noise(void **state)
{
    (void)state;
    assert_true(same_f32(&derived, 3.0f, steps(3.0f, 4), NULL, 0));
    assert_false(same_f32(&derived, 3.0f, steps(3.0f, 5), NULL, 0));
    assert_true(same_f32(&derived, 3.0f, steps(3.0f, 8), NULL, 4));
    assert_false(same_f32(&derived, 3.0f, steps(3.0f, 9), NULL, 4));
    assert_false(same_f32(&derived, 3.0f, steps(3.0f, 200), NULL, 1e9)); // noise is capped
    uint16_t a = ks_f32_to_f16(1.0f), b = (uint16_t)(a + 1), c2 = (uint16_t)(a + 2);
    struct ks_comparison c;
    ks_compare(&derived, f16, &a, &b, 1, NULL, 0, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare(&derived, f16, &a, &c2, 1, NULL, 0, NULL, &c);
    assert_int_equal(c.bad, 1);
    double x = 1, y = 1 + 4 * 0x1p-52, z = 1 + 5 * 0x1p-52;
    ks_compare(&derived, f64, &x, &y, 1, NULL, 0, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare(&derived, f64, &x, &z, 1, NULL, 0, NULL, &c);
    assert_int_equal(c.bad, 1);
}

static void a_sum_is_measured_by_its_absolute_terms(void **state)
{
    (void)state;
    float scale = 1000; // terms of both signs that nearly cancel
    float bound = (float)(16 * 0x1p-24 * 1000);
    assert_true(same_f32(&derived, 0.0f, bound * 0.99f, &scale, 0));
    assert_false(same_f32(&derived, 0.0f, bound * 1.01f, &scale, 0));
    scale = 0;
    assert_false(same_f32(&derived, 0.0f, 1e-30f, &scale, 0));
}

// Research verification.md 3.2: fp32 in any order passes, TF32 inputs do not, on signed data.
static void tf32_is_told_from_fp32(void **state)
{
    (void)state;
    struct ks_rng rng;
    ks_rng_seed(&rng, 1);
    int worse = 0;
    for (int dot = 0; dot < 50; dot++) {
        double s = 0;
        float up = 0, down = 0, tf32 = 0, a[1024], b[1024];
        for (int k = 0; k < 1024; k++) {
            a[k] = (float)(ks_rng_unit(&rng) * 2 - 1);
            b[k] = (float)(ks_rng_unit(&rng) * 2 - 1);
            s += fabs((double)a[k] * (double)b[k]);
            up += a[k] * b[k];
            uint32_t x, y;
            float p, q;
            memcpy(&x, &a[k], 4);
            memcpy(&y, &b[k], 4);
            x = (x + 0x1000) & ~0x1fffu;
            y = (y + 0x1000) & ~0x1fffu;
            memcpy(&p, &x, 4);
            memcpy(&q, &y, 4);
            tf32 += p * q;
        }
        for (int k = 1023; k >= 0; k--)
            down += a[k] * b[k];
        float scale = (float)s;
        assert_true(same_f32(&derived, up, down, &scale, 0));
        worse += !same_f32(&derived, up, tf32, &scale, 0);
    }
    assert_true(worse >= 45);
}

static void classes_must_agree_and_nan_is_no_wildcard(void **state)
{
    (void)state;
    struct ks_tolerance loose = {.kind = KS_TOL_REL, .rel = 1e9, .abs = 1e30};
    assert_true(same_f32(&loose, NAN, NAN, NULL, 0));
    assert_false(same_f32(&loose, NAN, 1, NULL, 0));
    assert_false(same_f32(&loose, 1, NAN, NULL, 0));
    assert_true(same_f32(&loose, INFINITY, INFINITY, NULL, 0));
    assert_false(same_f32(&loose, INFINITY, -INFINITY, NULL, 0));
    assert_false(same_f32(&loose, INFINITY, 3e38f, NULL, 0));
    assert_false(same_f32(&loose, 3e38f, INFINITY, NULL, 0));
    float scale = INFINITY; // no licence either
    assert_false(same_f32(&derived, 1.0f, 1.1f, &scale, 0));
}

static void unwritten_elements_stay(void **state)
{
    (void)state;
    struct ks_tolerance loose = {.kind = KS_TOL_REL, .rel = 1};
    float want[2] = {1, 2}, have[2] = {1.5f, 2.5f};
    unsigned char mask[2] = {1, 0};
    struct ks_comparison c;
    ks_compare(&loose, f32, want, have, 2, NULL, 0, mask, &c);
    assert_int_equal(c.bad, 1);
    assert_int_equal(c.first_bad, 1);
}

static const char *pattern(int64_t n, int64_t first, int64_t last, int64_t step)
{
    int32_t *a = calloc((size_t)n, 4), *b = calloc((size_t)n, 4);
    struct ks_comparison c;
    for (int64_t i = first; i <= last; i += step)
        b[i] = 1;
    ks_compare(&exact, i32, a, b, n, NULL, 0, NULL, &c);
    free(a);
    free(b);
    return c.pattern;
}

// The exact-arithmetic probe asks for equal values: not for the sign of a zero, nor the kind of a NaN.
static void exact_lanes_are_equal_in_value(void **state)
{
    (void)state;
    const struct ks_tolerance loose = {.kind = KS_TOL_REL, .rel = 0.5};
    const unsigned char mask[4] = {KS_LANE_EXACT, KS_LANE_EXACT, KS_LANE_EXACT, KS_LANE_CLOSE};
    float want[4] = {0.f, NAN, 3.f, 1.f}, have[4] = {-0.f, -NAN, 3.f, 1.2f};
    struct ks_comparison c;
    ks_compare(&loose, f32, want, have, 4, NULL, 0, mask, &c);
    assert_int_equal(c.bad, 0);
    have[2] = steps(3.f, 1);
    ks_compare(&loose, f32, want, have, 4, NULL, 0, mask, &c);
    assert_int_equal(c.bad, 1);
    assert_int_equal(c.first_bad, 2);
}

static void patterns_have_names(void **state)
{
    (void)state;
    assert_string_equal(pattern(100, 1, 0, 1), "");
    assert_string_equal(pattern(100, 0, 99, 1), "all elements");
    assert_string_equal(pattern(100, 97, 99, 1), "the last 2 or 3 elements");
    assert_string_equal(pattern(100, 99, 99, 1), "the last element");
    assert_string_equal(pattern(100, 0, 40, 1), "a run at the start");
    assert_string_equal(pattern(100, 3, 99, 4), "every 4th element");
    assert_string_equal(pattern(100, 50, 50, 1), "one element");
    assert_string_equal(pattern(0, 1, 0, 1), "");
}

static void lanes_count_singly(void **state)
{
    (void)state;
    struct ks_elem f4 = {KS_T_F32, 4, 16, 16};
    float want[8] = {0}, have[8] = {0};
    have[6] = 1;
    struct ks_comparison c;
    ks_compare(&derived, f4, want, have, 2, NULL, 0, NULL, &c);
    assert_int_equal(c.compared, 8);
    assert_int_equal(c.first_bad, 6);
}

static void many_elements_are_seen_as_few_are(void **state)
{
    (void)state;
    enum { N = 3000001 }; // several parts, of unequal size
    int32_t *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b);
    const struct { int64_t first, step, last; const char *pattern; } cases[] = {
        {0, 1, N - 1, "all elements"},     {5, 32, N - 1, "every 32nd element"},
        {3, 2, N - 1, "every 2nd element"}, {N - 1, 1, N - 1, "the last element"},
        {1000000, 1, N - 1, "a long tail"}, {0, 1, 1600000, "a run at the start"},
        {7, 700001, N - 1, "elements at one constant distance"}, {1234567, 1, 1234567, "one element"},
        {1000, 1, 2900000, "one run in the middle"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int64_t bad = 0, last = -1;
        memset(b, 0, N * sizeof *b);
        for (int64_t i = cases[k].first; i <= cases[k].last; i += cases[k].step, bad++)
            b[last = i] = 1;
        struct ks_comparison c;
        ks_compare(&exact, i32, a, b, N, NULL, 0, NULL, &c);
        assert_int_equal(c.compared, N);
        assert_int_equal(c.bad, bad);
        assert_int_equal(c.first_bad, cases[k].first);
        assert_int_equal(c.last_bad, last);
        assert_string_equal(c.pattern, cases[k].pattern);
    }
    // A step that changes between parts is none.
    memset(b, 0, N * sizeof *b);
    for (int64_t i = 0; i < N; i += i < N / 2 ? 4 : 8)
        b[i] = 1;
    struct ks_comparison c;
    ks_compare(&exact, i32, a, b, N, NULL, 0, NULL, &c);
    assert_string_equal(c.pattern, "scattered elements");
    free(a);
    free(b);
}

// tol(sum=F) is measured by the terms, whatever is left of them, and comes to what is derived.
static void rounded_factors_are_measured_by_their_terms(void **state)
{
    (void)state;
    const struct ks_tolerance rounded = {.kind = KS_TOL_DERIVED, .sum = 1e-3};
    float want = 1.0f, near = 1.099f, far = 1.101f, scale = 100, sum = 100, endless = INFINITY;
    double value = 1.0;
    struct ks_comparison c;
    ks_compare_to(&rounded, f32, &want, &near, 1, &scale, &sum, 0, NULL, NULL, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare_to(&rounded, f32, &want, &far, 1, &scale, &sum, 0, NULL, NULL, NULL, &c);
    assert_int_equal(c.bad, 1);
    ks_compare_to(&derived, f32, &want, &near, 1, &scale, &sum, 0, NULL, NULL, NULL, &c);
    assert_int_equal(c.bad, 1);
    // Without a sum of terms it is the derived tolerance; beside an infinite one no more than the value's own size.
    ks_compare_to(&rounded, f32, &want, &near, 1, &scale, NULL, 0, NULL, NULL, NULL, &c);
    assert_int_equal(c.bad, 1);
    ks_compare_to(&rounded, f32, &want, &near, 1, &scale, &endless, 0, NULL, NULL, NULL, &c);
    assert_int_equal(c.bad, 1);
    // Of other kernels the scale of the value in double stands for the terms.
    double terms = 100;
    float own = 0;
    struct ks_reference reference = {.value = &value, .scale = &terms, .own = &own, .typical = 1, .sum = 1e-3};
    ks_compare_to(&rounded, f32, &want, &near, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare_to(&rounded, f32, &want, &far, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
}

// Own errors are floats: what none holds is believed of no element, however large the scale it is measured by.
static void an_error_beyond_floats_is_no_rounding(void **state)
{
    (void)state;
    double value = 1e60, scale = 1e66;
    float own = 0, shaken = 3e38f;
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 1e60, .inputs = 1e60};
    assert_true(ks_reference_trusts(&reference, 0, 1e38) && ks_reference_rounds(&reference, 0, 1e38));
    assert_false(ks_reference_trusts(&reference, 0, 1e39) || ks_reference_rounds(&reference, 0, 1e39));
    reference.shaken = &shaken;
    value = 1;
    assert_true(ks_reference_rounds(&reference, 0, 1e38));
    assert_false(ks_reference_rounds(&reference, 0, 1e39) || ks_reference_rounds(&reference, 0, (double)NAN));
}

// An element far from the original's, but near to its value in double, is right; so much and no more.
static void a_value_in_double_is_another_measure(void **state)
{
    (void)state;
    float want = 1.0f, have = steps(1.0f, 12), far = steps(1.0f, 40);
    double value = (double)steps(1.0f, 6);
    double scale = 1;
    float own = 0;
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 1};
    struct ks_comparison c;
    assert_false(same_f32(&derived, want, have, NULL, 0));
    // 12 steps of 2^-23 from the original, six from the value: 12 units of 2^-24 of 16 + 1.
    ks_compare_to(&derived, f32, &want, &have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    // The original's own error counts twice: 34 steps are 68 units.
    ks_compare_to(&derived, f32, &want, &far, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    reference.noise = 34;
    ks_compare_to(&derived, f32, &want, &far, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    // Never beyond four times the bound, so that 11 bits remain far outside: 2^-12 is 4096 units.
    float half = 1.0f + 0x1p-12f;
    reference.noise = 1e9;
    ks_compare_to(&derived, f32, &want, &half, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    // What the original was seen to err by on this very element counts four times.
    own = 0x1p-14f;
    ks_compare_to(&derived, f32, &want, &half, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    own = 0x1p-15f;
    ks_compare_to(&derived, f32, &want, &half, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    own = 0;
    // An element without a scale has its own measure alone; so has a user's tolerance.
    reference.noise = 34;
    scale = 0;
    ks_compare_to(&derived, f32, &want, &far, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    scale = 1;
    ks_compare_to(&exact, f32, &want, &far, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    // 16 bits: half a step for storing, and what fp32 explains besides.
    uint16_t one = ks_f32_to_f16(1.0f), next = ks_f32_to_f16(1.0f + 0x1p-10f);
    uint16_t second = ks_f32_to_f16(1.0f + 0x1p-9f);
    value = 1.0 + 0x1p-10 + 0x1p-11;
    reference.noise = 0;
    ks_compare_to(&derived, f16, &one, &second, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    value = 1.0 + 0x1p-10;
    ks_compare_to(&derived, f16, &one, &second, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    ks_compare_to(&derived, f16, &one, &next, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    float nan = NAN, two = 2;
    ks_compare_to(&derived, f32, &want, &nan, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    // Nor is the value wrong where the original has no number, by rounding alone.
    value = (double)have, scale = 1, own = 0;
    ks_compare_to(&derived, f32, &nan, &have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare_to(&derived, f32, &nan, &two, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    ks_compare_to(&exact, f32, &nan, &have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    scale = 0; // in double it is none, either
    ks_compare_to(&derived, f32, &nan, &have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
}

// Two sums in fp32 that round to neighbours of 16 bits are the same sum; the second next is none.
// A reference of some lanes: what is wrong elsewhere is wrong so far, and not for sure. Every n-th wrong lane is told.
static void a_reference_may_be_of_some_lanes(void **state)
{
    (void)state;
    enum { LANES = 1 << 20, STEP = 1000 };
    float *want = malloc(LANES * sizeof *want), *have = malloc(LANES * sizeof *have);
    assert_non_null(want);
    assert_non_null(have);
    for (int64_t i = 0; i < LANES; i++)
        want[i] = have[i] = 1.0f + (float)(i % 7);
    for (int64_t i = 5; i < LANES; i += STEP)
        have[i] = steps(want[i], 12);
    const int64_t lanes[] = {0, 5, 5 + STEP, 5 + 2 * STEP + 1};
    double value[] = {1, (double)steps(want[5], 6), 100, 1};
    double scale[] = {1, (double)want[5], 100, 1};
    float own[4] = {0};
    struct ks_reference reference = {.value = value, .scale = scale, .own = own, .typical = 1, .lanes = lanes, .n_lanes = 4};
    struct ks_lanes bad = {.every = 1};
    struct ks_comparison c;
    assert_int_equal(ks_reference_at(&reference, 5 + STEP), 2);
    assert_int_equal(ks_reference_at(&reference, 6), -1);
    assert_int_equal(ks_reference_at(&reference, LANES), -1);
    ks_compare_to(&derived, f32, want, have, LANES, NULL, NULL, 0, NULL, &reference, &bad, &c);
    assert_int_equal(c.bad, LANES / STEP); // of one more the reference says that it is right
    assert_int_equal(c.sure, 1);
    assert_int_equal(bad.n, c.bad);
    for (int64_t i = 0; i < bad.n; i++)
        assert_int_equal(bad.at[i], 5 + (i + 1) * STEP);
    free(bad.at);
    // The others may differ as known ones usually may: by 17 units of 6, which are more than 12 steps of any number here,
    // and less than a thousand.
    double usual = ks_reference_usual(&reference, KS_T_F32, lanes, 2); // scales of 1 and of want[5]
    assert_true(usual >= 16 * 0x1p-24 && usual <= 17.1 * 0x1p-24);
    reference.others = ks_reference_usual(&reference, KS_T_F32, lanes + 1, 1);
    assert_true(reference.others > (double)want[5] * 16 * 0x1p-24);
    have[5 + 3 * STEP] = steps(want[5 + 3 * STEP], 1000);
    ks_compare_to(&derived, f32, want, have, LANES, NULL, NULL, 0, NULL, &reference, &bad, &c);
    assert_int_equal(c.sure, 1); // of 5 + STEP its own value decides
    assert_int_equal(c.bad, 2);
    assert_int_equal(bad.at[0], 5 + STEP);
    assert_int_equal(bad.at[1], 5 + 3 * STEP);
    free(bad.at);
    have[5 + 3 * STEP] = steps(want[5 + 3 * STEP], 12);
    bad = (struct ks_lanes){.every = 10};
    ks_compare_to(&derived, f32, want, have, LANES, NULL, NULL, 0, NULL, NULL, &bad, &c);
    assert_int_equal(c.sure, c.bad);
    assert_true(bad.n >= c.bad / 10 && bad.n <= c.bad / 10 + 32);
    free(bad.at);
    free(want);
    free(have);
}

static void a_sample_is_even_and_knows_its_lanes(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, KS_SAMPLE_LANES, KS_SAMPLE_LANES + 1, 300001, 1 << 20, (1 << 20) + 77};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int64_t all = sizes[k], n = ks_sample_count(all), next = 0, members = 0;
        for (int64_t i = 0; i < n; i++, next++) {
            assert_true(ks_sample_lane(all, i) >= next && ks_sample_lane(all, i) < all);
            next = ks_sample_lane(all, i);
        }
        assert_true(all - next < all / 32 + 2); // to the end
        for (int64_t lane = 0; lane < all; lane++)
            members += ks_sample_has(all, lane);
        assert_int_equal(members, n);
        for (int64_t i = 0; i < n; i += 997)
            assert_true(ks_sample_has(all, ks_sample_lane(all, i)));
    }
}

static void sums_round_to_neighbours_of_16_bits(void **state)
{
    (void)state;
    const struct ks_elem bf16 = {KS_T_BF16, 1, 2, 2};
    const float at[] = {1.0f, 0.1416015625f, 1.9921875f, -3e30f};
    struct ks_comparison c;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        float scale = fabsf(at[i]);
        uint16_t want = ks_f32_to_bf16(at[i]), next = (uint16_t)(want + 1), second = (uint16_t)(want + 2);
        ks_compare(&derived, bf16, &want, &next, 1, &scale, 0, NULL, &c);
        assert_int_equal(c.bad, 0);
        ks_compare(&derived, bf16, &want, &second, 1, &scale, 0, NULL, &c);
        assert_int_equal(c.bad, 1);
        scale *= 0x1p16f; // where terms cancel, fp32's own error is larger
        ks_compare(&derived, bf16, &want, &second, 1, &scale, 0, NULL, &c);
        assert_int_equal(c.bad, 0);
    }
    uint16_t least = 1, none = 0, two = 2;
    float nothing = 0;
    ks_compare(&derived, f16, &least, &none, 1, &nothing, 0, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare(&derived, f16, &none, &two, 1, &nothing, 0, NULL, &c);
    assert_int_equal(c.bad, 1);
}

// A sum of a million terms that round alike: lanes of it err by hundreds of units, 1.5 sqrt(K) of them and no more.
static void chains_of_a_long_sum_are_near_enough(void **state)
{
    (void)state;
    float want = 1.01f, near = 1.0f + 0x1p-24f * 1500, far = 1.0f + 0x1p-24f * 1600, terms = 0x1p20f;
    double value = 1;
    double scale = 2;
    float own = 0;
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 1};
    struct ks_comparison c;
    ks_compare_to(&derived, f32, &want, &near, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    reference.terms = &terms;
    ks_compare_to(&derived, f32, &want, &near, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare_to(&derived, f32, &want, &far, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    terms = 0x1p18f;
    ks_compare_to(&derived, f32, &want, &near, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    assert_true(ks_compare_sequence(0) == KS_SEQUENCE);
    assert_true(ks_compare_sequence(NAN) == KS_SEQUENCE);
}

// Where fp32's range ends nearby, an element is right as far from its value as the original is there, and no number where
// the original is none; never where nobody looked, nor of another kind.
static void the_range_ends_nearby(void **state)
{
    (void)state;
    double value = -0x1p-121;
    double scale = 0x1p-120;
    float own = 0, want = -0x1p-121f, none = 0, twice = -0x1p-120f, other = 0x1p-122f;
    float number = NAN, above = INFINITY, below = -INFINITY;
    struct ks_nearby nearby = {.is = KS_NEARBY_NUMBER};
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 1, .sum = 1e-3};
    const struct { const float *want, *have; float error; unsigned char is; int bad; } cases[] = {
        {&want, &none, 0, KS_NEARBY_NUMBER, 1},          {&want, &none, 0x1p-121f, KS_NEARBY_NUMBER, 0},
        {&want, &twice, 0x1p-122f, KS_NEARBY_NUMBER, 1}, {&want, &other, 0x1p-121f, KS_NEARBY_NUMBER, 1},
        {&want, &number, 0, KS_NEARBY_NUMBER, 1},        {&want, &number, 0, KS_NEARBY_NAN, 0},
        {&want, &above, 0, KS_NEARBY_NAN, 1},            {&want, &below, 0, KS_NEARBY_BELOW, 0},
        {&below, &want, 0, KS_NEARBY_BELOW, 1},          {&below, &want, 0, KS_NEARBY_NUMBER, 0},
        {&below, &twice, 0, KS_NEARBY_NUMBER, 1},        {&below, &above, 0, KS_NEARBY_BELOW, 1},
    };
    struct ks_comparison c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nearby = (struct ks_nearby){.error = cases[i].error, .is = cases[i].is};
        reference.nearby = &nearby;
        ks_compare_to(&derived, f32, cases[i].want, cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, cases[i].bad);
        reference.nearby = NULL;
        ks_compare_to(&derived, f32, cases[i].want, cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, 1);
    }
}

// Where what the original is nearby counts, an element is right between that and a quarter of the way beyond (x sigmoid(x) dips there):
// no farther than rounding, and no NaN; as long as it does not count never.
static void what_lies_between_is_undecided(void **state)
{
    (void)state;
    double value = 1, scale = 1;
    float own = 0, want = 1;
    struct ks_nearby nearby = {.low = -1, .high = 0.5f};
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 1, .nearby = &nearby};
    const struct { float have; int bad; } cases[] = {
        {-1, 0}, {0.25f, 0}, {-1.5f - 0x1p-21f, 0}, {-1.5f - 0x1p-18f, 1}, {1.5f + 0x1p-18f, 1}, {NAN, 1}, {INFINITY, 1}, {-INFINITY, 1},
    };
    struct ks_comparison c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reference.between = true;
        ks_compare_to(&derived, f32, &want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, cases[i].bad);
        reference.between = false;
        ks_compare_to(&derived, f32, &want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, 1);
    }
    reference.between = true;
    nearby.comes = KS_NEARBY_NUMBER | KS_NEARBY_BELOW; // of an infinite sign, too
    ks_compare_to(&derived, f32, &want, &cases[7].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare_to(&derived, f32, &want, &cases[6].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    nearby.low = nearby.high = NAN; // nearby it is no number
    ks_compare_to(&derived, f32, &want, &cases[0].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
}

// Infinity is right beside a number where the value in double lies so near to the type's end that rounding may bring
// it to either side: so near, on its own side of zero, and beside the right number.
static void the_type_ends_where_rounding_says(void **state)
{
    (void)state;
    uint16_t largest = ks_f32_to_f16(65504), before = ks_f32_to_f16(65472), infinite = ks_f32_to_f16(INFINITY);
    uint16_t negative = ks_f32_to_f16(-INFINITY);
    double value = 65520;
    double scale = 65520;
    float own = 0; // 16 units of it are 0.0625
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 1};
    const struct { double value; uint16_t want, have; int bad; } cases[] = {
        {65520, infinite, largest, 0},    {65520, largest, infinite, 0},    {65519.95, largest, infinite, 0},
        {65520.05, infinite, largest, 0}, {65519.9, largest, infinite, 1},  {65520.1, infinite, largest, 1},
        {65520, infinite, before, 1},     {65520, largest, negative, 1},    {65520, negative, infinite, 1},
        {-65520, negative, largest, 1},   {1, infinite, ks_f32_to_f16(1), 1},
    };
    struct ks_comparison c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        value = cases[i].value;
        ks_compare_to(&derived, f16, &cases[i].want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, cases[i].bad);
        ks_compare_to(&derived, f16, &cases[i].want, &cases[i].have, 1, NULL, NULL, 0, NULL, NULL, NULL, &c);
        assert_int_equal(c.bad, 1); // as long as nobody knows the value
        ks_compare_to(&exact, f16, &cases[i].want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, 1);
    }
    // No number in place of infinity, where terms met well beyond it; of one term never.
    uint16_t none = ks_f32_to_f16(NAN);
    const struct { double value; bool either; uint16_t want, have; int bad; } lost[] = {
        {70000, true, infinite, none, 0},  {-70000, true, negative, none, 0}, {70000, false, infinite, none, 1},
        {70000, true, negative, none, 0},  {65000, true, infinite, none, 1},  {70000, true, none, infinite, 1},
        {65520.05, true, infinite, none, 1}, {65520.1, true, infinite, none, 0},
        {70000, true, infinite, largest, 1}, {INFINITY, true, infinite, none, 1},
    };
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        value = lost[i].value;
        reference.either = lost[i].either;
        ks_compare_to(&derived, f16, &lost[i].want, &lost[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, lost[i].bad);
        ks_compare_to(&exact, f16, &lost[i].want, &lost[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, 1);
    }
    reference.either = false;
    value = 65520, scale = 0;
    ks_compare_to(&derived, f16, &infinite, &largest, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
    // The same of other types; of double nothing lies beyond.
    assert_true(isinf(ks_f16_to_f32(ks_f32_to_f16((float)ks_compare_end(KS_T_F16)))));
    assert_true(!isinf(ks_f16_to_f32(ks_f32_to_f16(nextafterf(65520, 0)))));
    assert_true(isinf(ks_bf16_to_f32(ks_f32_to_bf16((float)ks_compare_end(KS_T_BF16)))));
    assert_true(!isinf(ks_bf16_to_f32(ks_f32_to_bf16(nextafterf(0x1.ffp127f, 0)))));
    assert_true(isinf((float)ks_compare_end(KS_T_F32)));
    assert_true(!isinf((float)nextafter(ks_compare_end(KS_T_F32), 0)));
    assert_true(isinf(ks_compare_end(KS_T_F64)));
}

// A product of factors alone is what it comes to, whatever leaves the range of floats on the original's way.
static void a_product_is_right_by_its_value(void **state)
{
    (void)state;
    double value = 0;
    double scale = 0;
    float own = 0;
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .product = true};
    const float inf = INFINITY, least = 0x1p-149f, nan = NAN;
    const struct { double value; float want, have; int bad; } cases[] = {
        {1, 0, 1, 0},            {1, inf, 1, 0},            {1, nan, 1, 0},           {1, nan, nan, 0},
        {1, 0, 1.00001f, 1},     {1, inf, 0, 1},            {1, nan, inf, 1},         {1, 0, nan, 1},
        {1, 1, inf, 1},          {1, 1, nan, 1},            {1, 1, 0, 1},             {1, 0, -1, 1},
        {0x1p130, 1, inf, 0},    {0x1p130, nan, inf, 0},    {0x1p130, 1, -inf, 1},    {0x1p130, nan, 0x1p127f, 1},
        {-0x1p130, 0, -inf, 0},  {0x1p127, 1, inf, 1},      {0x1.ffffffp127, 1, FLT_MAX, 0},
        {0x1p-140, 0, 0x1p-140f, 0}, {0x1p-140, inf, 0x1p-140f + 6 * least, 0}, {0x1p-140, 0, 0x1p-140f + 10 * least, 1},
        {0x1p-140, 0x1p-140f, 0, 1}, {0x1p-200, 0x1p-130f, 0, 0}, {0x1p-200, 1, 0x1p-130f, 1},
        {INFINITY, nan, inf, 0}, {INFINITY, nan, -inf, 1},  {INFINITY, 1, FLT_MAX, 1}, {INFINITY, inf, nan, 1},
        {NAN, inf, nan, 0},      {NAN, nan, 0, 0},          {NAN, nan, -inf, 0},      {NAN, inf, 1, 1},
    };
    struct ks_comparison c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        value = cases[i].value;
        scale = (float)fmin(isnan(value) ? (double)FLT_MAX : fabs(value) + 0x1p-126, (double)FLT_MAX);
        ks_compare_to(&derived, f32, &cases[i].want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, cases[i].bad);
        bool same = cases[i].want == cases[i].have || (isnan(cases[i].want) && isnan(cases[i].have));
        ks_compare_to(&exact, f32, &cases[i].want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, !same);
    }
    // Where nothing is known of the value the original's own is all there is.
    const float want = inf, have = 1;
    value = 1, scale = 0;
    ks_compare_to(&derived, f32, &want, &have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
    assert_int_equal(c.bad, 1);
}

// Half of what is left of a cancellation may be rounding, if it is small beside what went in.
static void rounding_is_told_from_choices(void **state)
{
    (void)state;
    double value = 1e-6;
    double scale = 7e-6;
    float own = 0;
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 1e-6};
    assert_true(ks_reference_rounds(&reference, 0, 1e-9));
    assert_false(ks_reference_rounds(&reference, 0, 4.8e-7));
    reference.inputs = 7;
    assert_true(ks_reference_rounds(&reference, 0, 4.8e-7));
    assert_false(ks_reference_rounds(&reference, 0, 1e-4)); // 2^-18 of seven is 2.7e-5
}

// What roundings of intermediate results were seen to do on numbers nearby measures another order of the sums in it, up to
// a quarter of the value; and says of larger errors of the original's own that they are rounding.
static void intermediate_rounding_is_a_measure(void **state)
{
    (void)state;
    double value = 316.2278;
    double scale = 316.2278;
    float own = 0, shaken = 0.5f;
    struct ks_reference reference = {.value = &value, .scale = &scale, .own = &own, .typical = 316.2278, .shaken = &shaken};
    const float want = 316.9f;
    const struct { float shaken, own, have; int bad; } cases[] = {
        {0.5f, 0, 324, 0},  {0.5f, 0, 325, 1},   {0, 0, 316.2278f, 0},     {0, 0, 316.9f + 0.01f, 1}, {5, 0, 395, 0},
        {5, 0, 396, 1},     {1e6f, 0, 396, 1},   {1e6f, 30, 400, 0},       {1e6f, 30, 440, 1},        {0, 0.2f, 317, 0},
        {1e6f, 30, NAN, 1},
    };
    struct ks_comparison c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shaken = cases[i].shaken, own = cases[i].own;
        ks_compare_to(&derived, f32, &want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, cases[i].bad);
        ks_compare_to(&exact, f32, &want, &cases[i].have, 1, NULL, NULL, 0, NULL, &reference, NULL, &c);
        assert_int_equal(c.bad, 1);
    }
    shaken = 0.5f;
    assert_true(ks_reference_rounds(&reference, 0, 7.9) && !ks_reference_trusts(&reference, 0, 7.9));
    assert_false(ks_reference_rounds(&reference, 0, 8.1) || ks_reference_swamped(&reference, 0));
    shaken = 10; // sixteen times that is about half
    assert_true(ks_reference_swamped(&reference, 0) && ks_reference_rounds(&reference, 0, 1e6));
    assert_false(ks_reference_rounds(&reference, 0, (double)INFINITY));
    reference.shaken = NULL;
    assert_false(ks_reference_rounds(&reference, 0, 7.9) || ks_reference_swamped(&reference, 0));
}

// A sum of K products of one sign loses up to 0.2 K units on tensor cores, and no more is admitted of longer ones than 2^-11.
static void what_tensor_cores_cut_grows_with_the_terms(void **state)
{
    (void)state;
    const float terms[] = {0, 256, 1024, 16384, 32768, 1e9f, INFINITY};
    const double units[] = {0, 64, 256, 4096, 8192, 8192, 0};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        assert_float_equal((float)(ks_compare_factor() * (double)ks_compare_cut(terms[i], -3)), (float)(3 * units[i]), 1e-3f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounded_factors_are_measured_by_their_terms),
        cmocka_unit_test(a_value_in_double_is_another_measure),
        cmocka_unit_test(an_error_beyond_floats_is_no_rounding),
        cmocka_unit_test(chains_of_a_long_sum_are_near_enough),
        cmocka_unit_test(the_range_ends_nearby),
        cmocka_unit_test(what_lies_between_is_undecided),
        cmocka_unit_test(the_type_ends_where_rounding_says),
        cmocka_unit_test(a_product_is_right_by_its_value),
        cmocka_unit_test(a_reference_may_be_of_some_lanes),
        cmocka_unit_test(a_sample_is_even_and_knows_its_lanes),
        cmocka_unit_test(sums_round_to_neighbours_of_16_bits),
        cmocka_unit_test(rounding_is_told_from_choices),
        cmocka_unit_test(intermediate_rounding_is_a_measure),
        cmocka_unit_test(what_tensor_cores_cut_grows_with_the_terms),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(exact_means_bits_but_for_zero_and_nan),
        cmocka_unit_test(ulps_are_counted_across_zero_and_powers),
        cmocka_unit_test(relative_is_of_the_expected_value),
        cmocka_unit_test(derived_elementwise_is_four_ulp_or_twice_the_noise),
        cmocka_unit_test(a_sum_is_measured_by_its_absolute_terms),
        cmocka_unit_test(tf32_is_told_from_fp32),
        cmocka_unit_test(classes_must_agree_and_nan_is_no_wildcard),
        cmocka_unit_test(unwritten_elements_stay),
        cmocka_unit_test(exact_lanes_are_equal_in_value),
        cmocka_unit_test(patterns_have_names),
        cmocka_unit_test(lanes_count_singly),
        cmocka_unit_test(many_elements_are_seen_as_few_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
