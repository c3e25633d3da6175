// The vacuity check: each of its probes is the only one that finds some vector, so that none can be broken unseen.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "verify/session.h"
#include "verify/vector.h"

#define N 1000
static const struct ks_elem f32 = {KS_T_F32, 1, 4, 4}, i32 = {KS_T_I32, 1, 4, 4};
static const struct ks_tolerance derived = {.kind = KS_TOL_DERIVED}, tenth = {.kind = KS_TOL_REL, .rel = 0.1};

struct tested {
    struct ks_tolerance tolerance;
    enum ks_arith_kind kind;
    struct ks_elem elem;
    int64_t n;
    const void *expected;
    const unsigned char *mask;
    struct ks_reference reference;
};

// What is taken for right on such a vector; "" where nothing is.
static const char *passes(const struct tested *t)
{
    struct ks_mark mark = {.tolerance = t->tolerance};
    const struct ks_tu_mark marked = {.mark = &mark};
    const struct ks_tu_kernel kernel = {.mark = &marked};
    const struct ks_judge judge = {.kernel = &kernel, .arith = {.kind = t->kind, .u = 0x1p-24}};
    struct ks_slot slot = {.elem = t->elem, .count = t->n, .bytes = t->n * (int64_t)t->elem.size, .filled = t->n,
                           .role = KS_ROLE_OUT};
    struct ks_output output = {.expected = {(void *)(uintptr_t)t->expected}, .reference = t->reference,
                               .mask = (unsigned char *)(uintptr_t)t->mask};
    struct ks_vector vector = {.layout = {.slots = &slot, .n_slots = 1}, .outputs = &output, .n_outputs = 1,
                               .family = KS_FAMILY_POSITION, // whose values ask for no precision
                               .poison = {0x21212121, 0x61616161}, .deterministic = true, .read = true};
    const char *passed = NULL;
    bool proves = ks_vector_proves(&judge, &vector, false, &passed);
    assert_int_equal(proves, passed[0] == '\0');
    return passed;
}

static struct tested of_floats(float *values, int64_t n, struct ks_tolerance tolerance)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = (float)(i + 2);
    return (struct tested){.tolerance = tolerance, .kind = KS_ARITH_OTHER, .elem = f32, .n = n, .expected = values};
}

static void trivial_answers_are_told(void **state)
{
    (void)state;
    static float values[N];
    struct tested t = of_floats(values, N, derived);
    assert_string_equal(passes(&t), "");
    for (int64_t i = 0; i < N; i++)
        values[i] = 0;
    assert_string_equal(passes(&t), "all zeros");
    for (int64_t i = 0; i < N; i++)
        values[i] = 1;
    assert_string_equal(passes(&t), "all ones");
    for (int64_t i = 0; i < N; i++)
        values[i] = 7;
    assert_string_equal(passes(&t), "the mean everywhere");
}

static void a_place_further_on_is_told(void **state)
{
    (void)state;
    static int32_t whole[N];
    struct tested t = {.tolerance = derived, .kind = KS_ARITH_NONE, .elem = i32, .n = N, .expected = whole};
    // Integers have no mean: alike they say nothing of where each belongs.
    for (int64_t i = 0; i < N; i++)
        whole[i] = 7;
    assert_string_equal(passes(&t), "each element a place further on");
    whole[N / 2] = 8;
    assert_string_equal(passes(&t), "");
    t.n = 1; // has no place to go
    assert_string_equal(passes(&t), "");
    // Where only one in a while is written none has a neighbour's value to take.
    static unsigned char mask[N];
    for (int64_t i = 0; i < N; i++)
        whole[i] = 7, mask[i] = i % 2 == 0;
    t.n = N, t.mask = mask;
    assert_string_equal(passes(&t), "");
    // Floats that rise by less from one to the next than the tolerance.
    static float slow[N];
    struct tested f = of_floats(slow, N, tenth);
    assert_string_equal(passes(&f), "");
    for (int64_t i = 0; i < N; i++)
        slow[i] = (float)(1 + 0.01 * (double)i);
    assert_string_equal(passes(&f), "each element a place further on");
    slow[N / 2] = 100;
    assert_string_equal(passes(&f), "");
    for (int64_t i = 0; i < N; i++)
        slow[i] = NAN;
    assert_string_equal(passes(&f), "each element a place further on");
}

// Of a large output few are looked at first, far from each other: the one before each is its neighbour all the same.
static void a_place_is_that_of_a_large_output(void **state)
{
    (void)state;
    static int32_t large[2 * KS_SAMPLE_LANES];
    const int64_t n = (int64_t)(sizeof large / sizeof *large);
    struct tested t = {.tolerance = derived, .kind = KS_ARITH_NONE, .elem = i32, .n = n, .expected = large};
    for (int64_t i = 0; i < n; i++)
        large[i] = 7;
    assert_string_equal(passes(&t), "each element a place further on");
    for (int64_t i = 0; i < n; i++)
        large[i] = 7 + (int32_t)(i % 2); // the same a multiple of two on
    assert_string_equal(passes(&t), "");
}

static void one_element_is_told(void **state)
{
    (void)state;
    static float values[N], own[N];
    static double value[N], scale[N];
    struct tested t = of_floats(values, N, derived);
    for (int64_t i = 0; i < N; i++)
        value[i] = (double)values[i], scale[i] = (double)values[i];
    t.reference = (struct ks_reference){.value = value, .scale = scale, .own = own};
    assert_string_equal(passes(&t), "");
    // All but the largest are measured well, and that one by an error of its own half its size.
    own[N - 1] = values[N - 1] / 8;
    assert_string_equal(passes(&t), "one element moved");
    own[N - 1] = values[N - 1] / 64;
    assert_string_equal(passes(&t), "");
    // The user's own tolerance is held eight times over by no element.
    own[N - 1] = values[N - 1] / 8;
    t.tolerance = tenth;
    assert_string_equal(passes(&t), "");
    t.tolerance = (struct ks_tolerance){.kind = KS_TOL_ULP, .ulp = 1000};
    assert_string_equal(passes(&t), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trivial_answers_are_told),
        cmocka_unit_test(a_place_further_on_is_told),
        cmocka_unit_test(a_place_is_that_of_a_large_output),
        cmocka_unit_test(one_element_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
