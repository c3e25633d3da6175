#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"
#include "base/stats.h"

static void checked_arithmetic_refuses_overflow(void **state)
{
    (void)state;
    int64_t v = 42;
    assert_true(ks_add_i64(1, 2, &v) && v == 3);
    assert_false(ks_add_i64(INT64_MAX, 1, &v));
    assert_false(ks_sub_i64(INT64_MIN, 1, &v));
    assert_false(ks_mul_i64(INT64_MIN, -1, &v));
    assert_int_equal(v, 3);
    size_t s = 7;
    assert_false(ks_mul_size(SIZE_MAX, 2, &s));
    assert_false(ks_add_size(SIZE_MAX, 1, &s));
    assert_int_equal(s, 7);
    assert_int_equal(ks_align_up(0, 16), 0);
    assert_int_equal(ks_align_up(17, 16), 32);
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

// The value of a binary16 pattern straight from IEEE 754's definition.
static double f16_value(unsigned bits)
{
    int sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31;
    double fraction = bits & 0x3ff;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

static void half_precision_is_exact_both_ways(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        uint16_t half = (uint16_t)bits;
        float f = ks_f16_to_f32(half), b = ks_bf16_to_f32(half);
        if ((bits & 0x7fff) > 0x7c00) {
            assert_true(isnan(f) && (ks_f32_to_f16(f) & 0x7fff) > 0x7c00);
        } else {
            assert_int_equal(ks_f32_to_f16(f), half);
            if ((bits & 0x7c00) != 0x7c00)
                assert_true((double)f == f16_value(bits));
            else
                assert_true(isinf(f) && (signbit(f) != 0) == (bits >> 15 != 0));
        }
        assert_int_equal(bits_of(b), (uint32_t)bits << 16);
        if (isnan(b))
            assert_true((ks_f32_to_bf16(b) & 0x7fff) > 0x7f80);
        else
            assert_int_equal(ks_f32_to_bf16(b), half);
    }
}

// Between each two neighbours: the middle goes to the even one, and a bit less or more to the
// nearer.
static void half_precision_rounds_to_nearest_even(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        float low = ks_f16_to_f32((uint16_t)bits);
        float high = bits == 0x7bff ? 65536.0f : ks_f16_to_f32((uint16_t)(bits + 1));
        float middle = (low + high) / 2; // exact in binary32
        assert_int_equal(ks_f32_to_f16(middle), bits + (bits & 1));
        assert_int_equal(ks_f32_to_f16(nextafterf(middle, 0)), bits);
        assert_int_equal(ks_f32_to_f16(nextafterf(middle, INFINITY)), bits + 1);
        assert_int_equal(ks_f32_to_f16(-nextafterf(middle, INFINITY)), (bits + 1) | 0x8000);
    }
    assert_int_equal(ks_f32_to_f16(1e30f), 0x7c00);
    for (unsigned bits = 0; bits < 0x7f80; bits++) {
        uint32_t middle_bits = (uint32_t)bits << 16 | 0x8000;
        float middle;
        memcpy(&middle, &middle_bits, 4);
        assert_int_equal(ks_f32_to_bf16(middle), bits + (bits & 1));
        assert_int_equal(ks_f32_to_bf16(nextafterf(middle, 0)), bits);
        assert_int_equal(ks_f32_to_bf16(nextafterf(middle, INFINITY)), bits + 1);
    }
}

static void whole_numbers_are_told(void **state)
{
    (void)state;
    const double whole[] = {0, -0.0, 1, -7, 0x1p31, -0x1p52, 0x1p52 - 1, 0x1p53 + 2, 0x1p63, 1e300,
                            INFINITY, -INFINITY};
    const double other[] = {0.5, -0.5, 1e-300, 0x1p51 + 0.5, -0x1p51 - 0.5, 4503599627370495.5, NAN};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        assert_true(ks_is_whole(whole[i]) && floor(whole[i]) == whole[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_false(ks_is_whole(other[i]) || floor(other[i]) == other[i]);
}

static void random_streams_match_published_values(void **state)
{
    (void)state;
    // splitmix64 from seed 1234567 (rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64).
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    for (uint64_t i = 0; i < 5; i++)
        assert_true(ks_hash_counter(1234567, i) == expected[i]);
    // xoshiro256** from state 1, 2, 3, 4 (the rand_xoshiro crate's reference vector).
    static const uint64_t stream[] = {UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240),
                                      UINT64_C(1215971899390074240), UINT64_C(1216172134540287360)};
    struct ks_rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < 5; i++)
        assert_true(ks_rng_next(&rng) == stream[i]);
}

static void random_choices_are_in_range_and_reach_all(void **state)
{
    (void)state;
    struct ks_rng rng;
    ks_rng_seed(&rng, 1);
    unsigned seen[7] = {0};
    for (int i = 0; i < 7000; i++) {
        seen[ks_rng_below(&rng, 7)]++;
        double u = ks_rng_unit(&rng);
        assert_true(u >= 0 && u < 1);
    }
    for (int i = 0; i < 7; i++) // 1000 expected, standard deviation 29
        assert_in_range(seen[i], 850, 1150);
    assert_int_equal(ks_rng_below(&rng, 1), 0);
    assert_true(ks_seed_from_os() != ks_seed_from_os());
    for (int i = 0; i < 100; i++) // as a double, and back
        assert_in_range(ks_seed_to_tell(), 1, (UINT64_C(1) << 53) - 1);
}

static void lower_ranks_are_those_of_the_sign_test(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double alpha;
        size_t rank;
    } table[] = {
        {21, 0.01, 5},     {21, 0.001, 4},  {31, 0.01, 9},   {31, 0.001, 7},
        {51, 0.01, 17},    {51, 0.001, 15}, {101, 0.01, 39}, {101, 0.001, 35},
        {11, 0.01, 2},     {5, 0.01, 0}, // 2^-5 = 3.1 %
        {7, 0.0078125, 1},               // exactly 2^-7
        {6, 0.0078125, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(ks_median_lower_rank(table[i].n, table[i].alpha), table[i].rank);
    // By exact integer sums of binomial coefficients, up to n = 62.
    for (unsigned n = 1; n <= 62; n++) {
        uint64_t coefficient = 1, sum = 0;
        size_t rank = 0;
        for (unsigned k = 0; k < n; k++) {
            sum += coefficient; // C(n,0) + .. + C(n,k)
            if (ldexp((double)sum, -(int)n) > 0.001)
                break;
            rank = k + 1;
            coefficient = (uint64_t)((unsigned __int128)coefficient * (n - k) / (k + 1));
        }
        assert_int_equal(ks_median_lower_rank(n, 0.001), rank);
    }
}

static void order_statistics_leave_the_input_alone(void **state)
{
    (void)state;
    const double values[] = {3, 1, 2, 10};
    assert_true(ks_median(values, 3) == 2);
    assert_true(ks_median(values, 4) == 2.5);
    assert_true(ks_median(values, 1) == 3);
    assert_true(ks_kth_smallest(values, 4, 1) == 1);
    assert_true(ks_kth_smallest(values, 4, 4) == 10);
    assert_true(values[0] == 3 && values[1] == 1);
    const double powers[] = {2, 8};
    assert_true(fabs(ks_geomean(powers, 2) - 4) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checked_arithmetic_refuses_overflow),
        cmocka_unit_test(half_precision_is_exact_both_ways),
        cmocka_unit_test(half_precision_rounds_to_nearest_even),
        cmocka_unit_test(whole_numbers_are_told),
        cmocka_unit_test(random_streams_match_published_values),
        cmocka_unit_test(random_choices_are_in_range_and_reach_all),
        cmocka_unit_test(lower_ranks_are_those_of_the_sign_test),
        cmocka_unit_test(order_statistics_leave_the_input_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
