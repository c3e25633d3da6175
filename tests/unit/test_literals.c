// Numbers of machine text, and how they are planted among the values of a buffer.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "verify/literals.h"

#define PTX                                                                                       \
    ".entry #g0(.param .u64 #0)\n{\nld.global.f32 %f1,[%rd1+400];\nadd.s32 %r1,%r2,-640;\n"   \
    "setp.eq.f32 %p1,%f1,0f3EC00000;\nsetp.ne.s32 %p2,%r3,1777;\nsetp.eq.s32 %p3,%r4,1067282596;\n" \
    "setp.gt.f64 %p4,%fd1,0d4008000000000000;\nsetp.eq.f32 %p5,%f1,0f7F800000;\nret;\n}\n"

static bool has_value(const struct ks_literals *l, double value)
{
    for (size_t i = 0; i < l->n_values; i++)
        if (l->values[i] == value)
            return true;
    return false;
}

static void what_is_compared_comes_first(void **state)
{
    (void)state;
    struct ks_literals l = {0};
    ks_literals_read(&l, ks_slice_of(PTX));
    assert_true(l.values[0] == 0.375);
    assert_int_equal(l.wholes[0], 1777);
    assert_true(has_value(&l, 3.0));
    assert_true(has_value(&l, (double)1.23f)); // the bits of a float
    assert_true(has_value(&l, 1777));          // an integer that may be converted
    assert_false(has_value(&l, INFINITY));
    // The address is no number of the computation; what is added is.
    bool address = false, added = false;
    for (size_t i = 0; i < l.n_wholes; i++) {
        address = address || l.wholes[i] == 400;
        added = added || l.wholes[i] == 640;
    }
    assert_false(address);
    assert_true(added);
}

static void tables_are_read_too(void **state)
{
    (void)state;
    struct ks_literals l = {0};
    ks_literals_read(&l, KS_SLICE(".const .align 4 .b8 #1[12] = {72, 225, 58, 63, 0, 0, 0, 63, 241, 6};\n"
                                  ".const .align 8 .b8 #2[16] = {154, 153, 153, 153, 153, 153, 185, 63};\n"
                                  ".const .align 1 .b8 #3[4] = {1, 2, 3, 77};\n.const .align 4 .b8 #4[8];\n"
                                  ".const .align 4 .f32 #5 = 0f3DFCD680;\n.const .align 4 .u32 #6 = 4242;\n.const .align 4 .b8 #7[4]={60,242,2,0}"));
    assert_true(has_value(&l, (double)0.73f));
    assert_true(has_value(&l, 0.5));
    assert_true(has_value(&l, 1777));
    assert_true(has_value(&l, 0.1));
    assert_false(has_value(&l, 77));
    assert_true(has_value(&l, (double)0.123456f));
    assert_true(has_value(&l, 4242));
    assert_true(has_value(&l, 193084)); // what ends without a semicolon
    bool both = false;
    for (size_t i = 0; i < l.n_wholes; i++)
        both = both || l.wholes[i] == 0x3fb999999999999a;
    assert_true(both);
}

static void neither_of_two_crowds_out_the_other(void **state)
{
    (void)state;
    struct ks_literals many = {0}, one = {0};
    struct ks_buf text = KS_BUF(1 << 17);
    for (int i = 0; i < 2 * KS_LITERALS; i++)
        ks_buf_printf(&text, "setp.eq.s32 %%p1,%%r1,%d;\n", 5000 + i);
    ks_literals_read(&many, ks_slice_of(ks_buf_text(&text)));
    assert_int_equal(many.n_wholes, KS_LITERALS);
    ks_literals_read(&one, ks_slice_of("setp.eq.s32 %p1,%r1,1777;\n"));
    ks_literals_join(&many, &one);
    assert_int_equal(many.wholes[0], 5000);
    assert_int_equal(many.wholes[1], 1777);
    assert_int_equal(many.n_wholes, KS_LITERALS);
    ks_buf_free(&text);
}

static void each_turn_gives_another(void **state)
{
    (void)state;
    struct ks_literals l = {.values = {0.375, 40}, .n_values = 2};
    const double want[] = {0.375, 40, 0.75, 80, (double)nextafterf(0.375f, 1), (double)nextafterf(40, 99),
                           (double)nextafterf(0.375f, 0), (double)nextafterf(40, 0), -0.375, -40};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_true(ks_literals_turn(&l, i) == want[i]);
    l.limit = 50; // sums must not drown
    assert_true(ks_literals_turn(&l, 3) == 1);
    assert_true(ks_literals_turn(&(struct ks_literals){0}, 3) == 0);
}

static void floats_are_scattered_equal_and_rising(void **state)
{
    (void)state;
    enum { N = 64 * 64 };
    struct ks_literals l = {.values = {0.375, 7}, .n_values = 2};
    struct ks_elem elem;
    struct ks_init init = {.kind = KS_INIT_DEFAULT};
    float *x = calloc(N, sizeof *x);
    assert_true(ks_elem_parse("f32", &elem));
    for (int i = 0; i < N; i++)
        x[i] = 100 + (float)i;
    ks_literals_plant(&l, NULL, elem, &init, 1, N, x);
    int kept = 0, exact = 0, equal = 0, rising = 0, alternating = 0;
    for (int run = 0; run < N; run += 64) {
        int same = 0, up = 0, two = 0;
        for (int i = run; i < run + 64; i++) {
            kept += x[i] == 100 + (float)i;
            exact += x[i] == 0.375f;
            same += x[i] == x[run];
            up += i > run && fabsf(x[i]) > fabsf(x[i - 1]);
            two += i > run + 1 && x[i] == x[i - 2] && x[i] != x[i - 1];
        }
        equal += same == 64;
        rising += up == 63 && fabsf(x[run]) < 100;
        alternating += two == 62;
    }
    assert_true(kept > N / 16 && kept < N / 2);
    assert_true(exact > 20 && equal > 4 && rising > 4 && alternating > 4);
    // Where terms are added, scattered, or all of the size of one of them: on both sides of it.
    l = (struct ks_literals){.values = {0.375, 1e-9, 1e30}, .n_values = 3, .scattered = true};
    int scattered = 0, sized[2] = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        for (int i = 0; i < N; i++)
            x[i] = 0.5f + (float)i / N;
        ks_literals_plant(&l, NULL, elem, &init, seed, N, x);
        kept = 0;
        for (int i = 0; i < N; i++)
            kept += x[i] == 0.5f + (float)i / N;
        bool tiny = fabsf(x[0] - 0.5e-9f) < 1e-12f && fabsf(x[N - 1] - 1.5e-9f) < 1e-11f;
        bool small = x[0] == 0.375f * 0.5f && fabsf(x[N - 1] - 0.375f * 1.5f) < 1e-3f;
        sized[0] += small;
        sized[1] += tiny;
        scattered += kept > N / 2 && kept < 7 * N / 8;
        assert_true(tiny || small || (kept > N / 2 && kept < 7 * N / 8));
    }
    assert_true(scattered > 20 && sized[0] > 3 && sized[1] > 3);
    free(x);
}

static void integers_stay_within_their_promise(void **state)
{
    (void)state;
    enum { N = 8192 };
    struct ks_literals l = {.wholes = {40, 1777}, .n_wholes = 2};
    struct ks_elem elem;
    int x[N], y[N], planted = 0;
    assert_true(ks_elem_parse("i32", &elem));
    struct ks_init range = {.kind = KS_INIT_RANDINT, .a = 30, .b = 60};
    for (int i = 0; i < N; i++)
        x[i] = 50, y[i] = i;
    ks_literals_plant(&l, NULL, elem, &range, 1, N, x);
    for (int i = 0; i < N; i++) {
        assert_true(x[i] >= 30 && x[i] <= 60);
        planted += x[i] == 40;
    }
    assert_true(planted > 50);
    // A permutation promises more than a range.
    range.kind = KS_INIT_PERMUTATION;
    ks_literals_plant(&l, NULL, elem, &range, 1, N, y);
    for (int i = 0; i < N; i++)
        assert_int_equal(y[i], i);
}

// Without a number to plant as well, and where terms meet: in steps of a few up and down, the ends of the range, zero,
// and powers of two and what is beside them.
static void integers_come_in_steps_and_at_the_ends(void **state)
{
    (void)state;
    enum { N = 64 * 256 };
    static const struct ks_init ranges[] = {{.kind = KS_INIT_RANDINT, .a = -7, .b = 500},
                                            {.kind = KS_INIT_RANDINT, .a = INT32_MIN, .b = INT32_MAX}};
    const struct ks_literals l = {.scattered = true};
    struct ks_elem elem;
    int *x = calloc(N, sizeof *x);
    assert_true(ks_elem_parse("i32", &elem));
    for (size_t r = 0; r < 2; r++) {
        int up = 0, down = 0, steps = 0, ends[2] = {0}, zeros = 0, powers[3] = {0};
        for (int i = 0; i < N; i++)
            x[i] = 50;
        ks_literals_plant(&l, NULL, elem, &ranges[r], 1, N, x);
        for (int run = 0; run < N; run += 64) {
            int64_t step = (int64_t)x[run + 1] - x[run], same = 0;
            for (int i = run + 1; i < run + 64; i++)
                same += (int64_t)x[i] - x[i - 1] == step;
            up += same == 63 && step == 1;
            down += same == 63 && step == -1;
            steps += same == 63 && llabs(step) > 1;
        }
        for (int i = 0; i < N; i++) {
            assert_true(x[i] >= ranges[r].a && x[i] <= ranges[r].b);
            ends[0] += x[i] == (int)ranges[r].a;
            ends[1] += x[i] == (int)ranges[r].b;
            zeros += x[i] == 0;
            for (int beside = 0; beside < 3; beside++)
                powers[beside] += llabs(x[i]) == (r == 0 ? 255 : (1 << 30) - 1) + beside;
        }
        assert_true(up > 8 && down > 8 && steps > 8 && ends[0] > 200 && ends[1] > 200);
        assert_true(zeros > 3 && powers[0] > 2 && powers[1] > 2 && powers[2] > 2);
    }
    free(x);
}

// Where a conversion to float rounds, or one to double, and right beside: of so many bits as the range has.
static void integers_come_halfway_between_floats(void **state)
{
    (void)state;
    enum { N = 64 * 512 };
    static const struct ks_init ranges[] = {{.kind = KS_INIT_RANDINT, .a = 0, .b = 0x1p23},
                                            {.kind = KS_INIT_RANDINT, .a = -0x1p31, .b = 0x1p31},
                                            {.kind = KS_INIT_RANDINT, .a = 0, .b = 0x1.8p62}};
    const struct ks_literals l = {.scattered = true};
    struct ks_elem elem;
    int64_t *x = calloc(N, sizeof *x);
    assert_true(ks_elem_parse("i64", &elem));
    for (size_t r = 0; r < 3; r++) {
        int ties[2] = {0}, twice = 0; // twice: rounded to double first, it is another float
        ks_literals_plant(&l, NULL, elem, &ranges[r], 1, N, x);
        for (int i = 0; i < N; i++) {
            uint64_t size = (uint64_t)llabs(x[i]);
            int bits = 64 - __builtin_clzll(size | 1);
            assert_true(x[i] >= (int64_t)ranges[r].a && x[i] <= (int64_t)ranges[r].b);
            ties[0] += bits > 24 && size << (64 - bits) << 24 == UINT64_C(1) << 63;
            ties[1] += bits > 53 && size << (64 - bits) << 53 == UINT64_C(1) << 63;
            volatile double wide = (double)x[i];
            twice += (float)wide != (float)x[i];
        }
        assert_int_equal(ties[0] > 100, r > 0);
        assert_int_equal(ties[1] > 100 && twice > 10, r > 1);
    }
    free(x);
}

// Flags of whole rows are alike, but for a few.
static void flags_are_alike_for_long(void **state)
{
    (void)state;
    enum { N = 512 * 64 };
    const struct ks_literals l = {.scattered = true};
    const struct ks_init init = {.kind = KS_INIT_DEFAULT};
    struct ks_elem elem;
    unsigned char x[N];
    int few[2] = {0}, none[2] = {0}, mixed = 0;
    assert_true(ks_elem_parse("bool", &elem));
    for (int i = 0; i < N; i++)
        x[i] = (unsigned char)(i & 1);
    ks_literals_plant(&l, NULL, elem, &init, 1, N, x);
    for (int at = 0; at < N; at += 512) {
        int set = 0;
        for (int i = at; i < at + 512; i++) {
            assert_true(x[i] <= 1);
            set += x[i];
        }
        none[0] += set == 0, none[1] += set == 512;
        few[0] += set > 0 && set < 20, few[1] += set < 512 && set > 492;
        mixed += set > 128 && set < 384;
    }
    assert_true(few[0] + none[0] > 8 && few[1] + none[1] > 8 && few[0] > 4 && few[1] > 4 && mixed > 16);
}

// What is divided by has small multiples and fractions, odd halves of them too, and numbers beside them; runs rise in the
// last place alone, too.
static void quotients_come_near_to_whole_ones(void **state)
{
    (void)state;
    enum { N = 64 * 256 };
    const struct ks_literals l = {.values = {10}, .n_values = 1};
    const struct ks_scalars scalars = {.at = {0.7}, .n = 1};
    const struct ks_init init = {.kind = KS_INIT_DEFAULT};
    struct ks_elem elem;
    double *x = calloc(N, sizeof *x);
    int times = 0, below = 0, above = 0, fractions = 0, halves[3] = {0}, rising = 0;
    assert_true(ks_elem_parse("f64", &elem));
    for (int i = 0; i < N; i++)
        x[i] = 1000.5 + i;
    ks_literals_plant(&l, &scalars, elem, &init, 1, N, x);
    for (int i = 0; i < N; i++) {
        double k = nearbyint(fabs(x[i]) / 0.7), m = nearbyint(fabs(x[i]) * 10);
        times += fabs(x[i]) == k * 0.7;
        below += fabs(x[i]) == nextafter(k * 0.7, 0);
        above += fabs(x[i]) == nextafter(k * 0.7, 999);
        fractions += m != 0 && fmod(m, 10) != 0 && fabs(fabs(x[i]) - m / 10) < 0x1p-49;
        halves[0] += fmod(fabs(x[i]) / 0.7, 1) == 0.5;
        halves[1] += fmod(fabs(x[i]) * 10, 1) == 0.5;
        halves[2] += fabs(x[i]) < 1000 && fmod(fabs(x[i]), 1) == 0.5;
    }
    for (int run = 0; run < N; run += 64) {
        int least = 0;
        for (int i = run + 1; i < run + 64; i++)
            least += x[i] > x[i - 1] && x[i] < x[i - 1] * (1 + 0x1p-51);
        rising += least == 63 && x[run] == 1000.5 + run;
    }
    assert_true(times > 50 && below > 50 && above > 50 && fractions > 50 && rising > 8);
    assert_true(halves[0] > 50 && halves[1] > 50 && halves[2] > 50);
    free(x);
}

// What scales rows by their largest meets halves there: steps of a half up to a literal, and that one now and then.
static void rows_come_in_halves_up_to_a_literal(void **state)
{
    (void)state;
    enum { N = 64 * 64 };
    struct ks_literals l = {.values = {16, 127, 1e-9}, .n_values = 3, .wholes = {16}, .n_wholes = 1, .limit = 8};
    const struct ks_init init = {.kind = KS_INIT_DEFAULT};
    struct ks_elem elem;
    float *x = calloc(N, sizeof *x);
    int seen[2] = {0}, inexact = 0;
    assert_true(ks_elem_parse("f32", &elem));
    for (uint64_t seed = 1; seed <= 200; seed++) {
        l.scattered = seed % 2 != 0;
        if (ks_literals_kind(&l, seed) != KS_LITERALS_STEPS)
            continue;
        float top = 0;
        int tops = 0, halves = 0;
        ks_literals_plant(&l, NULL, elem, &init, seed, N, x);
        for (int i = 0; i < N; i++)
            top = fmaxf(top, fabsf(x[i]));
        float number = top / 127;
        assert_true(top <= 8 && number * 127 == top);
        for (int i = 0; i < N; i++) {
            assert_true(fmodf(x[i] / number, 0.5f) == 0 && x[i] != 0);
            tops += fabsf(x[i]) == top;
            halves += fmodf(fabsf(x[i]) / number, 1) == 0.5f;
        }
        assert_true(tops > N / 128 && tops < N / 32 && halves > N / 3);
        seen[l.scattered]++;
        for (int i = 0; i < N; i++)
            if (rintf(x[i] / number) != rintf(x[i] * (1 / number))) {
                inexact++;
                break;
            }
    }
    // A quarter of them, of the scattered an eighth; most of them tell a reciprocal.
    assert_true(seen[0] > 10 && seen[1] > 3 && 2 * inexact > seen[0] + seen[1]);
    free(x);
}

// A square of a distance is what it is compared with only where its root is a float; both bases are told once.
static void lattices_hold_a_number_or_its_root(void **state)
{
    (void)state;
    enum { N = 4096 };
    const struct ks_literals l = {.values = {6.25, 2, 1, 1e30}, .n_values = 4};
    const struct ks_scalars scalars = {.at = {-2.5, 0.0625}, .n = 2};
    const double bases[] = {6.25, 2.5, 2, 0, 1, 0, 0, 0, 0, 1.5811388492584229, 0.0625, 0.25, 0, 0};
    struct ks_elem elem;
    static float x[N];
    int counts[4] = {0}, met = 0;
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++)
        assert_true(ks_literals_base(&l, &scalars, i, KS_T_F32) == bases[i]);
    assert_true(ks_elem_parse("f32", &elem));
    ks_literals_lattice(2.5, elem, 7, N, x);
    for (int i = 0; i < N; i++) {
        float size = fabsf(x[i]);
        assert_true(size == 0 || size == 1 || size == 2.5f);
        counts[size == 0 ? 0 : size == 1 ? 1 : 2]++;
        counts[3] += x[i] < 0;
    }
    for (int i = 0; i + 2 < N; i += 3)
        met += x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2] == 6.25f;
    assert_true(counts[0] > N * 3 / 8 && counts[1] > N / 8 && counts[2] > N / 8 && counts[3] > N / 8 && met > N / 3 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_compared_comes_first),
        cmocka_unit_test(tables_are_read_too),
        cmocka_unit_test(neither_of_two_crowds_out_the_other),
        cmocka_unit_test(each_turn_gives_another),
        cmocka_unit_test(floats_are_scattered_equal_and_rising),
        cmocka_unit_test(integers_stay_within_their_promise),
        cmocka_unit_test(integers_come_in_steps_and_at_the_ends),
        cmocka_unit_test(integers_come_halfway_between_floats),
        cmocka_unit_test(flags_are_alike_for_long),
        cmocka_unit_test(quotients_come_near_to_whole_ones),
        cmocka_unit_test(rows_come_in_halves_up_to_a_literal),
        cmocka_unit_test(lattices_hold_a_number_or_its_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
