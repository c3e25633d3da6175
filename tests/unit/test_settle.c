// What an answer of more elements than are measured is held against, where it differs in most of them: a device of host
// memory, on which the original in double and with random rounding are scripted.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "verify/vector.h"
#include "verify/wide.h"
#include "../fakes/fake_judge.h"

#define LANES 1050000 // of which 2^20 are not all measured
#define STEP 0x1p-23f // of numbers from 1 to 2

struct settled {
    struct ks_comparison c;
    bool thrown, sure;
};

static const char quotients[] = "$L1:\nld.global.f32 %f1,[%rd1];\nadd.f32 %f3,%f1,%f2;\ndiv.rn.f32 %f4,%f3,%f1;\n@%p1 bra $L1;\n";
static const char sums[] = "$L1:\nld.global.f32 %f1,[%rd1];\nfma.rn.f32 %f3,%f1,%f2,%f3;\n@%p1 bra $L1;\n";
static const char clipped[] = "$L1:\nld.global.f32 %f1,[%rd1];\nfma.rn.f32 %f3,%f1,%f2,%f3;\n@%p1 bra $L1;\nsub.f32 %f4,%f3,%f2;\nmin.f32 %f5,%f4,%f2;\n";

// The kernel `name` of that text over LANES inputs from `range`, beside so many doubles, as it is and in double. `more`: of its mark.
static void open_scripted(struct setting *s, struct ks_vector *v, const char *name, const char *text, const char *range, int64_t beside,
                          const char *more, enum ks_family family)
{
    struct ks_err err = {0};
    const char *marked = ks_arena_printf(
        &s->arena, "#pragma ks optimize %s\n#pragma ks workload let(n=%d) in(x[n]=uniform(%s)) in(z[%lld]=constant(0)) out(y[n]) "
        "grid(n) block(1)\n__global__ void %s(const float* x, const double* z, float* y, int n) { }\n", more, LANES, range, (long long)beside, name);
    check(open_judge(s, marked, text, &err), &err);
    s->judge->wide = (struct ks_wide){.tried = true, .image = KS_SLICE("cubin"), .registered = ks_arena_printf(&s->arena, "%s64", name)};
    s->judge->rounding = (struct ks_rounding){.tried = true, .image = KS_SLICE("cubin")};
    check(ks_vector_make(s->judge, &s->arena, &s->judge->problems[0], family, 0, KS_SKEW_NONE, v, &err), &err);
    check(ks_vector_read(s->judge, v, &err), &err);
    assert_false(v->excluded);
}

// An answer that is `all` steps off everywhere, and by more every so many elements from 2 on; beside so many doubles.
static struct settled settle(const char *name, const char *text, int64_t beside, float all, float more, int64_t every)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_vector v;
    struct settled result;
    open_scripted(&s, &v, name, text, "1,2", beside, "", KS_FAMILY_DECLARED);
    float *got = malloc(LANES * sizeof *got);
    for (int64_t i = 0; i < LANES; i++)
        got[i] = ((const float *)v.outputs[0].expected[0])[i] + STEP * (i % every == 2 ? more : all);
    check(ks_vector_settle(s.judge, &s.arena, &v, 0, got, 0, &result.c, &err), &err);
    result.thrown = v.thrown;
    result.sure = v.sure;
    free(got);
    ks_vector_free(&v);
    close_judge(&s);
    return result;
}

// Of few runs an element in a thousand has none that shows its error, and most that are off were never looked at.
static void few_wrong_among_many_off_are_looked_at_longer(void **state)
{
    (void)state;
    struct settled s = settle("settled", quotients, 1, 12, 200, FAKE_RARE);
    assert_int_equal(s.c.bad, 0);
    assert_true(s.sure && !s.thrown);
    s = settle("settled", quotients, KS_FEW_MOVES_BYTES / 8 - LANES / 2, 12, 200, FAKE_RARE);
    assert_int_equal(s.c.bad, 0);
    assert_true(s.sure && s.thrown);
}

static void what_no_run_shows_stays_wrong(void **state)
{
    (void)state;
    struct settled s = settle("settled", quotients, 1, 12, 450, FAKE_RARE);
    assert_true(s.c.sure > 0 && s.sure); // four times what is shown is 400
    s = settle("settled", quotients, 1, 60, 60, 3);
    assert_true(s.c.sure > 0 && !s.sure); // of so many it is no matter of luck
}

// Of five throws an element of a sum in thirty has none that shows its terms, however small the problem.
static void terms_that_few_throws_show_are_thrown_longer(void **state)
{
    (void)state;
    struct settled s = settle("summed", sums, 1, 0, 150, FAKE_RARE);
    assert_int_equal(s.c.bad, 0);
    assert_true(s.thrown);
    s = settle("summed", sums, 1, 0, 150, FAKE_RARE / 2); // half of which have no such terms
    assert_true(s.c.bad > 0 && s.thrown);
    s = settle("summed", sums, 1, 0, 150, 3);
    assert_true(s.c.bad > 0 && !s.thrown); // of so many it is no matter of luck
}

// A limit behind a sum cuts the sum of its terms: what that admits is too little, and random rounding tells more.
static void clipped_sums_are_looked_at_as_well(void **state)
{
    (void)state;
    struct settled s = settle("settled", clipped, KS_FEW_MOVES_BYTES / 8 - LANES / 2, 12, 200, FAKE_RARE);
    assert_int_equal(s.c.bad, 0);
    s = settle("settled", clipped, KS_FEW_MOVES_BYTES / 8 - LANES / 2, 12, 450, FAKE_RARE);
    assert_true(s.c.bad > 0); // four times what is shown is 400
}

// y = max(x - 1.5, 0), or, `leaps`, x > 1.5: of the elements from `from` to `to` below that, as many as `most`, an answer that is
// `off` above 0.
static int64_t bent(bool leaps, double from, double to, int64_t most, float off)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_vector v;
    struct ks_comparison c;
    open_scripted(&s, &v, leaps ? "bent_leap" : "bent", quotients, "1.4999,1.5001", 1, "", KS_FAMILY_DECLARED);
    float *got = malloc(LANES * sizeof *got), *x = malloc(LANES * sizeof *x);
    check(ks_vector_slot_bytes(&v, 0, KS_CONTENTS_PLAIN, 0, x) ? KS_OK : KS_E_INTERNAL, &err);
    memcpy(got, v.outputs[0].expected[0], LANES * sizeof *got);
    int64_t n = 0;
    for (int64_t i = 0; i < LANES; i++)
        if ((double)x[i] > 1.5 - from && (double)x[i] < 1.5 - to && ++n <= most)
            got[i] += off;
    assert_true(n >= most);
    check(ks_vector_settle(s.judge, &s.arena, &v, 0, got, 0, &c, &err), &err);
    assert_true(v.bent && v.leapt == (leaps && most == 1));
    free(got);
    free(x);
    ks_vector_free(&v);
    close_judge(&s);
    return c.bad;
}

// An order of a sum may bring an element over where it bends, from the side that no small move changes. 16 u of 1.5 are 1.4e-6.
static void near_a_bend_the_other_side_counts(void **state)
{
    (void)state;
    assert_int_equal(bent(false, 2e-7, 0, 100, 5e-7f), 0);
    assert_int_equal(bent(false, 2e-7, 0, 100, 1e-5f), 100);
    assert_int_equal(bent(false, 4e-6, 3e-6, 100, 5e-7f), 100);
}

// One in a million may be on either side of a threshold that is nearer than an order of a sum errs by: nothing between, and no other.
static void one_in_a_million_may_leap(void **state)
{
    (void)state;
    assert_int_equal(bent(true, 3e-7, 1e-7, 1, 1), 0);
    assert_int_equal(bent(true, 3e-7, 1e-7, 1, 3), 1);
    assert_int_equal(bent(true, 3e-7, 1e-7, 2, 1), 2);
    assert_int_equal(bent(true, 4e-6, 3e-6, 1, 1), 1);
}

// Of an answer that has those elements on the wrong side that are `within` so much of themselves below a threshold, how many, and how
// many are bad.
static int64_t across(const char *more, enum ks_family family, double within, int64_t *taken)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_vector v;
    struct ks_comparison c;
    open_scripted(&s, &v, "bent_often", quotients, "1,2", 1, more, family);
    float *got = malloc(LANES * sizeof *got), *x = malloc(LANES * sizeof *x);
    check(ks_vector_slot_bytes(&v, 0, KS_CONTENTS_PLAIN, 0, x) ? KS_OK : KS_E_INTERNAL, &err);
    *taken = 0;
    for (int64_t i = 0; i < LANES; i++) {
        got[i] = fake_odd_sixteenths((double)x[i] * (1 + within));
        *taken += got[i] != ((const float *)v.outputs[0].expected[0])[i];
    }
    check(ks_vector_settle(s.judge, &s.arena, &v, 0, got, 0, &c, &err), &err);
    free(got);
    free(x);
    ks_vector_free(&v);
    close_judge(&s);
    return c.bad;
}

// Of numbers far apart one in 256 may be on either side of what tol(sum=F) takes it across, though all of them are looked at and not
// so many others; of declared ones and without such a mark none.
static void few_of_far_sizes_may_be_on_either_side(void **state)
{
    (void)state;
    const struct { const char *more; enum ks_family family; double within; bool right, many; } cases[] = {
        {"tol(sum=2e-3)", KS_FAMILY_WIDE, 1e-4, true, false},
        {"tol(sum=2e-3)", KS_FAMILY_WIDE, 3e-4, false, true}, // of so many it is no matter of luck
        {"tol(sum=2e-3)", KS_FAMILY_DECLARED, 1e-4, false, false},
        {"tol(sum=2e-5)", KS_FAMILY_WIDE, 1e-4, false, false}, // that takes one in ten so far
        {"", KS_FAMILY_WIDE, 1e-4, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t taken, bad = across(cases[i].more, cases[i].family, cases[i].within, &taken);
        assert_true(taken > LANES / 512 && (taken > LANES / 256) == cases[i].many);
        assert_true(cases[i].right ? bad == 0 : bad > taken / 2);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_wrong_among_many_off_are_looked_at_longer),
        cmocka_unit_test(what_no_run_shows_stays_wrong),
        cmocka_unit_test(terms_that_few_throws_show_are_thrown_longer),
        cmocka_unit_test(near_a_bend_the_other_side_counts),
        cmocka_unit_test(one_in_a_million_may_leap),
        cmocka_unit_test(clipped_sums_are_looked_at_as_well),
        cmocka_unit_test(few_of_far_sizes_may_be_on_either_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
