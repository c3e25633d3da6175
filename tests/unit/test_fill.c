#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/rng.h"
#include "workload/fill.h"
#include "workload/number.h"

#define N 200000

static struct ks_elem elem(const char *text)
{
    struct ks_elem e;
    assert_true(ks_elem_parse(text, &e));
    return e;
}

static float *floats(struct ks_init init, enum ks_family family, uint64_t seed, int64_t n)
{
    float *out = malloc((size_t)n * sizeof *out);
    struct ks_err err;
    assert_int_equal(ks_fill_all(out, elem("f32"), &init, family, seed, n, &err), KS_OK);
    return out;
}

static void moments(const float *v, size_t n, double *mean, double *sd)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)v[i];
        square += (double)v[i] * (double)v[i];
    }
    *mean = sum / (double)n;
    *sd = sqrt(square / (double)n - *mean * *mean);
}

// Bounds are five standard errors wide: sd/sqrt(n) for the mean, sd/sqrt(2n) for the deviation.
static void test_moments(void **state)
{
    (void)state;
    double mean, sd;
    float *v = floats((struct ks_init){.kind = KS_INIT_NORMAL, .a = 3, .b = 2}, 0, 7, N);
    moments(v, N, &mean, &sd);
    assert_true(fabs(mean - 3) < 5 * 2 / sqrt(N));
    assert_true(fabs(sd - 2) < 5 * 2 / sqrt(2.0 * N));
    size_t beyond2 = 0; // P(|z| > 2) = 0.0455
    for (size_t i = 0; i < N; i++)
        beyond2 += fabsf(v[i] - 3) > 4;
    assert_true(fabs((double)beyond2 / N - 0.0455) < 5 * sqrt(0.0455 / N));
    free(v);
    v = floats((struct ks_init){.kind = KS_INIT_UNIFORM, .a = -1, .b = 3}, 0, 8, N);
    moments(v, N, &mean, &sd);
    assert_true(fabs(mean - 1) < 5 * 4 / sqrt(12.0 * N));
    assert_true(fabs(sd - 4 / sqrt(12)) < 0.01);
    for (size_t i = 0; i < N; i++)
        assert_true(v[i] >= -1 && v[i] < 3);
    free(v);
}

// The same transform, computed with libm.
static void test_normal_is_box_muller(void **state)
{
    (void)state;
    for (uint64_t pair = 0; pair < 20000; pair++) {
        double z[2];
        number_normal_pair(99, pair, z);
        double u = ((double)(ks_hash_counter(99, 2 * pair) >> 11) + 1) * 0x1p-53;
        double turn = (double)(ks_hash_counter(99, 2 * pair + 1) >> 11) * 0x1p-53;
        double r = sqrt(-2 * log(u)), angle = 2 * 3.14159265358979323846 * turn;
        assert_true(fabs(z[0] - r * cos(angle)) < 1e-13);
        assert_true(fabs(z[1] - r * sin(angle)) < 1e-13);
    }
    for (double x = -40; x < 40; x += 0.37)
        assert_true(fabs(number_exp2(x) / exp2(x) - 1) < 1e-15);
}

static void test_uniform_never_reaches_its_end(void **state)
{
    (void)state;
    // binary16 steps by 2^-11 below 1: one draw in 4096 would round up to 1.
    uint16_t *v = malloc(N * sizeof *v);
    struct ks_init init = {.kind = KS_INIT_UNIFORM, .a = 0, .b = 1};
    assert_int_equal(ks_fill_all(v, elem("f16"), &init, 0, 3, N, NULL), KS_OK);
    for (size_t i = 0; i < N; i++)
        assert_true(ks_f16_to_f32(v[i]) >= 0 && ks_f16_to_f32(v[i]) < 1);
    assert_int_equal(ks_fill_all(v, elem("bf16"), &init, KS_FAMILY_POSITIVE, 3, N, NULL), KS_OK);
    for (size_t i = 0; i < N; i++)
        assert_true(ks_bf16_to_f32(v[i]) >= 0 && ks_bf16_to_f32(v[i]) < 1);
    free(v);
}

static void test_randint(void **state)
{
    (void)state;
    int32_t *v = malloc(N * sizeof *v);
    struct ks_init init = {.kind = KS_INIT_RANDINT, .a = -3, .b = 6};
    assert_int_equal(ks_fill_all(v, elem("i32"), &init, KS_FAMILY_WIDE, 5, N, NULL), KS_OK);
    int seen[10] = {0};
    for (size_t i = 0; i < N; i++) {
        assert_in_range(v[i] + 3, 0, 9);
        seen[v[i] + 3]++;
    }
    for (int k = 0; k < 10; k++) // N/10 each, sd sqrt(N*0.09)
        assert_true(fabs(seen[k] - N / 10.0) < 5 * sqrt(N * 0.09));
    init = (struct ks_init){.kind = KS_INIT_DEFAULT};
    assert_int_equal(ks_fill_all(v, elem("i32"), &init, 0, 5, N, NULL), KS_OK);
    int low = 99, high = 0;
    for (size_t i = 0; i < N; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    assert_int_equal(low, 0);
    assert_int_equal(high, 99);
    free(v);
}

static void test_permutation(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 64, 1000, 65537};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s], moved = 0;
        int32_t *v = malloc((size_t)n * sizeof *v);
        char *seen = calloc(1, (size_t)n);
        struct ks_init init = {.kind = KS_INIT_PERMUTATION};
        assert_int_equal(ks_fill_all(v, elem("i32"), &init, 0, 11, n, NULL), KS_OK);
        for (int64_t i = 0; i < n; i++) {
            assert_in_range(v[i], 0, n - 1);
            assert_int_equal(seen[v[i]]++, 0);
            moved += v[i] != i;
        }
        if (n >= 64)
            assert_true(moved > n / 2);
        free(v);
        free(seen);
    }
}

static void test_iota_and_constant(void **state)
{
    (void)state;
    struct ks_init init = {.kind = KS_INIT_IOTA, .a = 5, .b = 3};
    int64_t v[8];
    assert_int_equal(ks_fill_all(v, elem("i64"), &init, 0, 1, 8, NULL), KS_OK);
    for (int i = 0; i < 8; i++)
        assert_int_equal(v[i], 5 + 3 * i);
    float f[8];
    assert_int_equal(ks_fill_all(f, elem("f32x4"), &init, 0, 1, 2, NULL), KS_OK); // componentwise
    for (int i = 0; i < 8; i++)
        assert_true(f[i] == (float)(5 + 3 * i));
    init = (struct ks_init){.kind = KS_INIT_CONSTANT, .a = -2.5};
    assert_int_equal(ks_fill_all(f, elem("f32x2"), &init, 0, 1, 4, NULL), KS_OK);
    for (int i = 0; i < 8; i++)
        assert_true(f[i] == -2.5f);
}

// Any split gives the bytes of the whole; so the number of threads cannot matter.
static void test_split(void **state)
{
    (void)state;
    static const char *const elems[] = {"f32", "f64", "f16x2", "bf16", "i8", "u64", "f32x3", "bool"};
    static const enum ks_init_kind kinds[] = {KS_INIT_DEFAULT, KS_INIT_UNIFORM, KS_INIT_RANDINT,
                                              KS_INIT_PERMUTATION, KS_INIT_IOTA};
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++)
        for (int f = 0; f < KS_FAMILY_COUNT; f++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                struct ks_elem type = elem(elems[e]);
                struct ks_init init = {.kind = kinds[k], .a = 0, .b = 50};
                int64_t n = 150001;
                char *whole = malloc((size_t)n * type.size), *parts = malloc((size_t)n * type.size);
                assert_int_equal(ks_fill_all(whole, type, &init, f, 42, n, NULL), KS_OK);
                for (int64_t at = 0, step = 1; at < n; at += step, step = step * 3 + 1) {
                    int64_t count = step < n - at ? step : n - at;
                    ks_fill(parts + (size_t)at * type.size, type, &init, f, 42, n, at, count);
                }
                assert_memory_equal(whole, parts, (size_t)n * type.size);
                memset(parts, 0, (size_t)n * type.size);
                assert_int_equal(ks_fill_range(parts, type, &init, f, 42, n, 1234, 140000, NULL), KS_OK);
                assert_memory_equal(whole + 1234 * type.size, parts, 140000 * type.size);
                ks_fill(parts, type, &init, f, 43, n, 0, n);
                bool declared = f == KS_FAMILY_DECLARED || f == KS_FAMILY_LITERALS || !ks_scalar_is_float(type.scalar);
                if (declared ? kinds[k] != KS_INIT_IOTA : f != KS_FAMILY_POSITION)
                    assert_memory_not_equal(whole, parts, (size_t)n * type.size);
                free(whole);
                free(parts);
            }
}

static void test_families(void **state)
{
    (void)state;
    struct ks_init init = {.kind = KS_INIT_UNIFORM, .a = 100, .b = 200};
    float *v = floats(init, KS_FAMILY_POSITION, 1, 10000);
    for (size_t i = 0; i < 10000; i++)
        assert_true(v[i] == (float)(i % 4093));
    free(v);
    v = floats(init, KS_FAMILY_IMPULSE, 1, 10000);
    int ones = 0, minus = 0;
    for (size_t i = 0; i < 10000; i++) {
        assert_true(v[i] == 0 || v[i] == 1);
        ones += v[i] == 1;
        minus += signbit(v[i]) != 0;
    }
    assert_int_equal(ones, 1);
    assert_true(minus > 4000 && minus < 6000); // zeros of either sign
    free(v);
    v = floats(init, KS_FAMILY_EXACT, 1, 10000);
    for (size_t i = 0; i < 10000; i++)
        assert_true(fabsf(v[i]) <= 7 && (int)v[i] % 2 != 0 && v[i] == (float)(int)v[i]);
    free(v);
    v = floats(init, KS_FAMILY_POWERS, 1, 10000);
    for (size_t i = 0; i < 10000; i++)
        assert_true(fabsf(v[i]) >= 1 && fabsf(v[i]) <= 8 && frexpf(fabsf(v[i]), &(int){0}) == 0.5f);
    free(v);
    v = floats(init, KS_FAMILY_WIDE, 1, N);
    size_t below1 = 0, negative = 0;
    for (size_t i = 0; i < N; i++) {
        assert_true(fabsf(v[i]) >= 0x1p-20f && fabsf(v[i]) <= 0x1p20f);
        below1 += fabsf(v[i]) < 1;
        negative += v[i] < 0;
    }
    assert_true(fabs((double)below1 - N / 2.0) < 5 * sqrt(N / 4.0));
    assert_true(fabs((double)negative - N / 2.0) < 5 * sqrt(N / 4.0));
    free(v);
    // Of most buffers of halves all products are numbers.
    int far = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        uint16_t halves[200];
        float most = 0;
        ks_fill(halves, elem("f16"), &init, KS_FAMILY_WIDE, seed, 200, 0, 200);
        for (size_t i = 0; i < 200; i++)
            most = fmaxf(most, fabsf(ks_f16_to_f32(halves[i])));
        assert_true(most > 0x1p7f && most <= 0x1p12f);
        far += most > 0x1p8f;
    }
    assert_in_range(far, 60, 140); // a quarter, sd 9
    v = floats(init, KS_FAMILY_TINY, 1, N);
    size_t endless = 0;
    for (size_t i = 0; i < N; i++) {
        endless += isinf(1 / v[i]) != 0;
        assert_true(v[i] != 0 && fabsf(v[i]) < 0x1p-17f);
    }
    assert_true(fabs((double)endless - N / 8.0) < 5 * sqrt(N / 8.0));
    free(v);
    v = floats(init, KS_FAMILY_EXTREME, 1, N);
    size_t great = 0, denormal = 0;
    negative = 0;
    for (size_t i = 0; i < N; i++) {
        assert_true(isfinite(v[i]));
        great += fabsf(v[i]) >= 0x1p63f; // squares overflow
        denormal += fpclassify(v[i]) == FP_SUBNORMAL;
        negative += v[i] < 0;
    }
    assert_true(fabs((double)great - N * 65 / 277.0) < 5 * sqrt(N / 4.0));
    assert_true(fabs((double)denormal - N * 23 / 277.0) < 5 * sqrt(N / 8.0));
    assert_true(fabs((double)negative - N / 2.0) < 5 * sqrt(N / 4.0));
    free(v);
    v = floats(init, KS_FAMILY_GREAT, 1, N);
    float *slight = floats(init, KS_FAMILY_SLIGHT, 1, N), sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += fabsf(v[i]);
        assert_true(isinf(v[i] * v[i]) && slight[i] * slight[i] == 0 && fpclassify(slight[i]) == FP_NORMAL);
    }
    assert_true(isfinite(sum));
    free(slight);
    free(v);
    for (uint64_t chance = 0; chance < 1000; chance++) {
        double wide = fabs(ks_fill_extreme(KS_T_F64, ks_hash_counter(8, chance)));
        assert_true(wide >= 0x1p-1074 && isfinite(wide));
        assert_true(1 / fabs(ks_fill_tiny(KS_T_F16, ks_hash_counter(5, chance))) > 65504);
        assert_true(isinf((float)(1 / ks_fill_tiny(KS_T_BF16, ks_hash_counter(6, chance)))));
        assert_true(isinf(1 / ks_fill_tiny(KS_T_F64, ks_hash_counter(7, chance))));
    }
    assert_true(ks_family_applies(KS_FAMILY_WIDE, elem("bf16x2")));
    assert_false(ks_family_applies(KS_FAMILY_WIDE, elem("u8")));
    assert_string_equal(ks_family_name(KS_FAMILY_EXACT), "exact");
}

// In whatever order such factors meet, double holds what they come to; fp32 does not.
static void products_of_wide_factors_are_doubles(void **state)
{
    (void)state;
    enum { MOST = 1 << 16 };
    float *x = malloc(MOST * sizeof *x);
    const struct ks_elem f32 = {.scalar = KS_T_F32, .lanes = 1, .size = 4};
    const struct ks_init factors = {.kind = KS_INIT_DEFAULT, .factors = true};
    assert_non_null(x);
    for (int n = 2048; n <= MOST; n *= 32) {
        double widest = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            double least = 0, most = 0, sum = 0;
            ks_fill(x, f32, &factors, KS_FAMILY_WIDE, seed, n, 0, n);
            for (int i = 0; i < n; i++) {
                sum += log2(fabs((double)x[i]));
                least = fmin(least, sum);
                most = fmax(most, sum);
            }
            widest = fmax(widest, most - least); // no run of them comes to more
        }
        assert_true(widest < 1022 && widest > 256);
    }
    free(x);
}

static void a_move_back_is_half_of_one(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        double there = ks_fill_moved(1, 77, i) - 1, back = ks_fill_moved(1, 77 | KS_FILL_BACK, i) - 1;
        assert_true(fabs(there) >= KS_FILL_MOVE / 2 && fabs(there) <= KS_FILL_MOVE * 1.5);
        assert_true(fabs(back + there / 2) <= 0x1p-52);
    }
    assert_true(ks_fill_moved(1, KS_FILL_ALIKE | KS_FILL_BACK, 5) == 1 - KS_FILL_MOVE / 2);
    const double any[] = {3e-42, -0.7, 0, -0.0, INFINITY, -1e30}, units[] = {1, -1, 0, -0.0, INFINITY, -1};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
        double unit = ks_fill_moved(any[i], KS_FILL_UNITS, i);
        assert_memory_equal(&unit, &units[i], sizeof unit);
    }
    assert_true(isnan(ks_fill_moved((double)NAN, KS_FILL_UNITS, 0)));
    for (uint64_t i = 0; i < 1000; i++) { // far, and as far back
        double there = ks_fill_moved(1, 77 | KS_FILL_FAR(9), i) - 1;
        double back = ks_fill_moved(1, 77 | KS_FILL_FAR(8) | KS_FILL_BACK, i) - 1;
        assert_true(fabs(there) >= 0x1p-10 && fabs(there) <= 0x1.8p-9);
        assert_true(fabs(back + there) <= 0x1p-52);
        assert_true((there > 0) == (ks_fill_moved(1, 77, i) > 1));
    }
}

// As it is stored where all cores move it, wide and not; numbers of 16 bits have none of it.
static void moved_numbers_are_kept_as_asked(void **state)
{
    (void)state;
    enum { COUNT = 600011, BEGIN = 77 };
    const uint64_t pattern = 9 | KS_FILL_FAR(9);
    float *from = malloc(COUNT * sizeof *from), *narrow = malloc(COUNT * sizeof *narrow);
    double *wide = malloc(COUNT * sizeof *wide);
    assert_true(from != NULL && narrow != NULL && wide != NULL);
    for (int i = 0; i < COUNT; i++)
        from[i] = (float)i / 7 - 1000;
    struct ks_filling f = {.nudge = pattern, .single = true};
    assert_true(ks_elem_parse("f32", &f.elem));
    ks_fill_keep(narrow, from, &f, BEGIN, COUNT);
    f.wide = true;
    ks_fill_keep(wide, from, &f, BEGIN, COUNT);
    for (int i = 0; i < COUNT; i++) {
        float moved = (float)ks_fill_moved((double)from[i], pattern, (uint64_t)i + BEGIN);
        assert_true(narrow[i] == moved && wide[i] == (double)moved);
    }
    f.single = false;
    ks_fill_keep(wide, from, &f, BEGIN, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_true(wide[i] == ks_fill_moved((double)from[i], pattern, (uint64_t)i + BEGIN));
    const uint16_t halves[] = {0x3c00, 0xbc01, 0x0001, 0x7bff};
    uint16_t kept[4];
    assert_true(ks_elem_parse("f16", &f.elem));
    f.single = true;
    ks_fill_keep(wide, halves, &f, 0, 4);
    assert_true(wide[0] == 1 && wide[1] == -1 - 0x1p-10 && wide[2] == 0x1p-24 && wide[3] == 65504);
    f.wide = false;
    ks_fill_keep(kept, halves, &f, 0, 4);
    assert_memory_equal(kept, halves, sizeof kept);
    free(from);
    free(narrow);
    free(wide);
}

// What fewer bits take for equal moves alike, wherever it stands; and other numbers otherwise.
static void equal_numbers_move_alike(void **state)
{
    (void)state;
    const uint64_t pattern = 77 | KS_FILL_FAR(9) | KS_FILL_BY_NUMBER;
    const double number = 1.375, beside = 1.375 + 0x1p-12;
    int up = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        double moved = ks_fill_moved(number, pattern, i);
        assert_true(moved == ks_fill_moved(number, pattern, 0) && moved != number && fabs(moved / number - 1) <= 0x1.8p-9);
        assert_true(fabs(ks_fill_moved(beside, pattern, i) / beside - moved / number) <= 0x1p-50);
        up += ks_fill_moved(1 + (double)i * 0x1p-10, pattern, 0) > 1 + (double)i * 0x1p-10;
    }
    assert_true(up > 400 && up < 600);
}

static float of_tf32(float value)
{
    return (float)ks_fill_moved((double)value, KS_FILL_SHORT(1), 0);
}

// Sums of products of odd numbers of 13 bits and of 1 are exact in fp32, forwards and backwards, and of three products of TF32;
// of one they are not, be one term alone rounded.
static void odd_numbers_tell_tf32_at_each_term(void **state)
{
    (void)state;
    enum { K = 1 << 15 };
    float *x = malloc(K * sizeof *x), *y = malloc(K * sizeof *y);
    const struct ks_elem f32 = {.scalar = KS_T_F32, .lanes = 1, .size = 4};
    const struct ks_init fine = {.a = 13, .b = 13}, coarse = {.a = 1, .b = 4};
    assert_non_null(x);
    assert_non_null(y);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        float there = 0, back = 0, parts = 0;
        double sum = 0;
        int negative = 0;
        ks_fill(x, f32, &fine, KS_FAMILY_ODD, seed, K, 0, K);
        ks_fill(y, f32, &coarse, KS_FAMILY_ODD, seed + 100, K, 0, K);
        for (int i = 0; i < K; i++) {
            float near = of_tf32(x[i]), left = x[i] - near;
            assert_true(fabsf(x[i]) >= 0.5f && fabsf(x[i]) < 1 && fabsf(y[i]) == 0x1p-4f);
            assert_true(fabsf(left) == 0x1p-13f && of_tf32(left) == left && of_tf32(y[i]) == y[i]);
            there += x[i] * y[i];
            back += x[K - 1 - i] * y[K - 1 - i];
            parts += left * y[i] + near * y[i];
            sum += (double)x[i] * (double)y[i];
            negative += x[i] < 0;
        }
        assert_true((double)there == sum && (double)back == sum && (double)parts == sum);
        assert_true((double)(there + (of_tf32(x[7]) - x[7]) * y[7]) != sum);
        assert_true(negative > K / 2 - K / 64 && negative < K / 2 + K / 64);
    }
    int few = 0;
    for (uint64_t i = 0; i < K; i++)
        few += ks_fill_moved((double)x[i], KS_FILL_SHORT(64), i) != (double)x[i];
    assert_true(few > K / 64 / 2 && few < K / 64 * 2);
    assert_true(isinf(ks_fill_moved((double)INFINITY, KS_FILL_SHORT(1), 0)));
    free(x);
    free(y);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Some have all specials, some no NaN and one infinity alone, some one special in all, as often at an end as not; some so
// many that of the first elements of thirty rows one is a NaN; some have stretches of one alone, whole windows long. Half
// of the NaNs are all ones. Denormals only where they
// are wanted.
static void specials_take_turns(void **state)
{
    (void)state;
    enum { TURNS = 96, LENGTH = 20000 };
    const double expected = LENGTH / 64.0 / 7;
    const struct ks_init init = {.kind = KS_INIT_DEFAULT};
    int any = 0, zeros = 0, one_infinity[2] = {0}, lone[3] = {0}, ends = 0, dense = 0, kinds[KS_FILL_PALETTES] = {0};
    int stretches[3] = {0}, shortest = LENGTH, longest = 0;
    double special = 0; // of stretches, how much of each buffer
    for (uint64_t seed = 501; seed <= 500 + TURNS; seed++) {
        float *v = floats(init, KS_FAMILY_SPECIAL, seed, LENGTH);
        size_t nans = 0, minus_nans = 0, ones = 0, infinite[2] = {0}, minus_zero = 0, zero = 0, denormal = 0;
        for (size_t i = 0; i < LENGTH; i++) {
            nans += isnan(v[i]) != 0;
            minus_nans += isnan(v[i]) && signbit(v[i]);
            ones += isnan(v[i]) && (bits_of(v[i]) & 0x7fffffff) == 0x7fffffff;
            infinite[0] += isinf(v[i]) && v[i] > 0;
            infinite[1] += isinf(v[i]) && v[i] < 0;
            minus_zero += v[i] == 0 && signbit(v[i]);
            zero += v[i] == 0;
            denormal += fpclassify(v[i]) == FP_SUBNORMAL;
        }
        kinds[ks_fill_palette(seed)]++;
        if (ks_fill_palette(seed) == KS_FILL_STRETCHES || ks_fill_palette(seed) == KS_FILL_BLANKS) {
            int run = 1, least = LENGTH;
            for (size_t i = 1; i < LENGTH; i++) {
                bool same = !isfinite(v[i]) && (isnan(v[i]) ? isnan(v[i - 1]) : v[i] == v[i - 1]);
                if (!same && run > 1 && least > run)
                    least = run;
                run = same ? run + 1 : 1;
                longest = longest > run ? longest : run;
            }
            shortest = shortest < least ? shortest : least;
            assert_true(ks_fill_palette(seed) == KS_FILL_BLANKS ? infinite[0] + infinite[1] == 0 : nans == 0);
            stretches[0] += nans > 0;
            stretches[1] += infinite[0] > 0;
            stretches[2] += infinite[1] > 0;
            assert_true(minus_zero + denormal == 0);
            special += (double)(nans + infinite[0] + infinite[1]) / LENGTH;
            free(v);
            continue;
        }
        bool end = !isfinite(v[0]) || !isfinite(v[LENGTH - 1]), both = !isfinite(v[0]) && !isfinite(v[LENGTH - 1]);
        size_t firsts = 0;
        for (size_t row = 0; row < 30; row++)
            firsts += isnan(v[row * 100]) != 0;
        free(v);
        v = floats((struct ks_init){.kind = KS_INIT_DEFAULT, .normal = true}, KS_FAMILY_SPECIAL, seed, LENGTH);
        for (size_t i = 0; i < LENGTH; i++)
            assert_int_not_equal(fpclassify(v[i]), FP_SUBNORMAL);
        free(v);
        if (nans > LENGTH / 16) {
            assert_true(fabs((double)nans - LENGTH * 3 / 28.0) < 6 * sqrt(LENGTH * 3 / 28.0) && minus_zero + denormal == 0);
            assert_true(minus_nans > nans / 3 && minus_nans < nans * 2 / 3 && ones > nans / 3 && ones < nans * 2 / 3);
            dense += firsts > 0;
            assert_true(both);
            continue;
        }
        if (zero > LENGTH / 4) {
            assert_true(nans + infinite[0] + infinite[1] + denormal == 0);
            assert_true(fabs((double)zero - LENGTH / 2.0) < 6 * sqrt(LENGTH / 4.0));
            assert_true(minus_zero > zero / 3 && minus_zero < zero * 2 / 3);
            zeros++;
            continue;
        }
        if (nans + infinite[0] + infinite[1] == 1) {
            assert_true(minus_zero + denormal == 0);
            ends += end;
            lone[nans == 1 ? 0 : infinite[0] == 1 ? 1 : 2]++;
            continue;
        }
        assert_true(minus_zero > 0 && denormal > 0);
        if (nans > 0) {
            assert_true(fabs((double)nans - expected) < 6 * sqrt(expected));
            assert_true(infinite[0] > 0 && infinite[1] > 0);
            any++;
        } else {
            int sign = infinite[0] == 0;
            assert_int_equal(infinite[!sign], 0);
            assert_true(fabs((double)infinite[sign] - 3 * expected) < 6 * sqrt(3 * expected));
            one_infinity[sign]++;
        }
    }
    // An eighth each: fewer than 4 of 96 are seen seldom, and these seeds stay.
    for (int i = 0; i < KS_FILL_PALETTES; i++)
        assert_in_range(kinds[i], 4, TURNS);
    assert_true(ends > 0 && dense >= 4 && zeros == kinds[KS_FILL_ZEROS]);
    assert_in_range(any, 4, TURNS);
    assert_in_range(one_infinity[0], 4, TURNS);
    assert_in_range(one_infinity[1], 4, TURNS);
    assert_true(lone[0] > 0 && lone[1] > 0 && lone[2] > 0);
    assert_true(stretches[0] > 3 && stretches[1] > 1 && stretches[2] > 3);
    special /= kinds[KS_FILL_STRETCHES] + kinds[KS_FILL_BLANKS];
    assert_true(special > 0.3 && special < 0.7 && shortest == LENGTH / 16 && longest >= LENGTH / 2);
}

static void write_npy(const char *path, const char *header, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    unsigned char length[2] = {(unsigned char)strlen(header), (unsigned char)(strlen(header) >> 8)};
    fwrite("\x93NUMPY\1\0", 1, 8, f);
    fwrite(length, 1, 2, f);
    fwrite(header, 1, strlen(header), f);
    fwrite(data, 1, n, f);
    fclose(f);
}

static void expect_npy(const char *path, const char *type, int64_t n, const char *text)
{
    float out[16];
    struct ks_err err = {0};
    assert_int_equal(ks_fill_file(out, "a.cu:3", path, elem(type), n, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "a.cu:3: file("));
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s' lacks '%s'", err.text, text);
}

static void test_npy(void **state)
{
    (void)state;
    char path[] = "/tmp/ks-npy-XXXXXX";
    close(mkstemp(path));
    float data[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    struct ks_err err;
    write_npy(path, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", data,
              sizeof data);
    assert_int_equal(ks_fill_file(out, "a.cu:3", path, elem("f32"), 6, &err), KS_OK);
    assert_memory_equal(out, data, sizeof data);
    assert_int_equal(ks_fill_file(out, "a.cu:3", path, elem("f32x2"), 3, &err), KS_OK);
    expect_npy(path, "f32", 5, "holds 6 numbers, the array wants 5");
    expect_npy(path, "i32", 6, "holds '<f4', the array wants i32");
    write_npy(path, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", data,
              sizeof data);
    expect_npy(path, "f32", 6, "Fortran order");
    write_npy(path, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", data, 20);
    expect_npy(path, "f32", 6, "ends before its data do");
    write_npy(path, "{'descr': '<f4', 'fortran_order': False, 'shape': (6", data, 20);
    expect_npy(path, "f32", 6, "damaged");
    unlink(path);
    expect_npy(path, "f32", 6, "cannot be opened");
    expect_npy("/tmp", "f32", 6, "not a regular file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_wide_factors_are_doubles),
        cmocka_unit_test(a_move_back_is_half_of_one),
        cmocka_unit_test(moved_numbers_are_kept_as_asked),
        cmocka_unit_test(equal_numbers_move_alike),
        cmocka_unit_test(odd_numbers_tell_tf32_at_each_term),
        cmocka_unit_test(specials_take_turns),
        cmocka_unit_test(test_moments),     cmocka_unit_test(test_normal_is_box_muller),
        cmocka_unit_test(test_uniform_never_reaches_its_end),
        cmocka_unit_test(test_randint),     cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_iota_and_constant), cmocka_unit_test(test_split),
        cmocka_unit_test(test_families),    cmocka_unit_test(test_npy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
