#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "engine/formula.h"
#include "engine/functions.h"

static const double x[] = {3, 1, 4, 1, 5, 9};
static double rows, cols;

static bool number(void *context, const char *name, double *value)
{
    (void)context;
    *value = strcmp(name, "rows") == 0 ? rows : cols;
    return strcmp(name, "rows") == 0 || strcmp(name, "cols") == 0;
}

static bool array(void *context, const char *name, struct ks_formula_array *out)
{
    (void)context;
    *out = (struct ks_formula_array){x, sizeof x / sizeof *x};
    return strcmp(name, "x") == 0 || strcmp(name, "y") == 0;
}

// Element `nth` with so many rows and columns; `known`: whether it has a value.
static double element(const char *text, double r, double c, int64_t nth, bool known)
{
    struct ks_arena arena = {0};
    struct ks_formula *f;
    const struct ks_formula_scope scope = {NULL, number, array};
    int64_t at;
    double value = 0;
    rows = r;
    cols = c;
    assert_int_equal(ks_formula_parse(&arena, "here", text, &f, NULL), KS_OK);
    assert_int_equal(ks_formula_bind(f, "here", &scope, NULL), KS_OK);
    assert_true(ks_formula_count(f, 0) > nth);
    assert_int_equal(ks_formula_element(f, 0, nth, &at, &value, NULL), known);
    assert_int_equal(at, nth);
    ks_arena_free(&arena);
    return value;
}

static void elements_have_their_values(void **state)
{
    (void)state;
    static const char sums[] = "for r < rows: y[r] = sum(c < cols: x[r * cols + c])";
    assert_true(element(sums, 2, 3, 1, true) == 15);
    assert_true(element(sums, 3, 2, 0, true) == 4);
    assert_true(element("for r < rows: y[r] = sum(c < cols: c > r ? 0 : product(k < c + 1: x[k]))", 4, 9, 2, true) == 18);
    assert_true(element("for r < rows: y[r] = argmax(c < cols: x[r * cols + c])", 2, 3, 1, true) == 2);
}

static void extremes_mind_or_pass_what_is_no_number(void **state)
{
    (void)state;
    static const char most[] = "for r < rows: y[r] = max(c < cols: c == r ? 0 / 0 : x[c])";
    static const char of_numbers[] = "for r < rows: y[r] = max_number(c < cols: c == r ? 0 / 0 : x[c])";
    static const char from[] = "for r < rows: y[r] = smaller(2, min_number(c < cols: 0 / 0))";
    assert_true(isnan(element(most, 2, 3, 0, true)));
    assert_true(element(most, 2, 3, 1, true) == 4);
    assert_true(element(of_numbers, 2, 3, 0, true) == 4);
    assert_true(isnan(element(of_numbers, 2, 1, 0, true)));
    assert_true(element(from, 1, 3, 0, true) == 2);
}

static void whole_numbers_and_fp32_are_what_the_device_makes_of_them(void **state)
{
    (void)state;
    assert_true(element("for r < rows: y[r] = and(-3, 6) + 100 * or(5, 2) + 10000 * xor(7, 2)", 1, 1, 0, true) == 4 + 700 + 50000);
    assert_true(element("for r < rows: y[r] = low_product(2654435761, 4294967295)", 1, 1, 0, true) == 1640531535);
    assert_true(isnan(element("for r < rows: y[r] = and(0 / 0, 1) + and(pow(2, 60), 1)", 1, 1, 0, true)));
    assert_true(element("for r < rows: y[r] = whole(-2.5) + whole(3.75) + whole(0 / 0)", 1, 1, 0, true) == 1);
    assert_true(element("for r < rows: y[r] = single(16777217) - 16777216", 1, 1, 0, true) == 0);
}

// A wrong binding may ask for more than could ever be: it is given up, and the next element begins anew.
static void what_takes_too_many_turns_has_no_value(void **state)
{
    (void)state;
    static const char inner[] = "for r < rows: y[r] = sum(a < cols: r > 0 ? 1 : sum(b < cols: sum(c < cols: 1)))";
    element(inner, 2, 1e6, 0, false);
    element(inner, 2, 1e9, 1, false);
    assert_true(element(inner, 2, 1000, 1, true) == 1000);
    assert_true(element("for r < rows: y[r] = sum(a < cols: 1)", 1, KS_FORMULA_TURNS - 1, 0, true) == KS_FORMULA_TURNS - 1);
}

static double of_function(const char *name, size_t n, double a, double b, double c)
{
    struct ks_arena arena = {0};
    const double arg[KS_FUNCTION_TAKES] = {a, b, c};
    const char *text[KS_FUNCTION_TAKES];
    for (int i = 0; i < KS_FUNCTION_TAKES; i++)
        text[i] = ks_arena_printf(&arena, "(%.17g)", arg[i]);
    const struct ks_function *f = ks_function_find(name, n);
    if (!f)
        fail_msg("%s of %zu is not known", name, n);
    const double value = element(ks_arena_printf(&arena, "for i < 1: y[i] = %s", ks_function_of(&arena, f, text)), 1, 1, 0, true);
    ks_arena_free(&arena);
    return value;
}

// What the C library has by those names.
static void functions_are_the_librarys(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*is)(double);
    } ones[] = {{"fabsf", fabs}, {"abs", fabs}, {"floor", floor}, {"ceilf", ceil}, {"trunc", trunc}, {"roundf", round},
                {"rint", rint}, {"nearbyintf", nearbyint}, {"expf", exp}, {"__expf", exp}, {"exp2f", exp2}, {"expm1", expm1},
                {"logf", log}, {"log2", log2}, {"__log10f", log10}, {"log1pf", log1p}, {"sqrtf", sqrt}, {"tanh", tanh},
                {"sinhf", sinh}, {"coshf", cosh}, {"sinf", sin}, {"std::cos", cos}, {"erff", erf}, {"erfc", erfc}};
    static const double at[] = {0.3, 1.5, 2.5, 0.875};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++)
            if (fabs(of_function(ones[i].name, 1, at[k], 0, 0) - ones[i].is(at[k])) > 1e-12 * (1 + fabs(ones[i].is(at[k]))))
                fail_msg("%s of %g is %g", ones[i].name, at[k], of_function(ones[i].name, 1, at[k], 0, 0));
    static const char *const whole[] = {"floorf", "ceil", "truncf", "round", "rintf"};
    static const double below[] = {-3, -2, -2, -3, -2}; // of -2.5
    for (int i = 0; i < 5; i++)
        assert_true(of_function(whole[i], 1, -2.5, 0, 0) == below[i]);
    assert_true(of_function("fmaxf", 2, -1, 2, 0) == 2 && of_function("std::fmin", 2, -1, 2, 0) == -1);
    assert_true(of_function("fdimf", 2, 3, 5, 0) == 0 && of_function("hypot", 2, 3, 4, 0) == 5);
    assert_true(of_function("__saturatef", 1, -2, 0, 0) == 0 && of_function("__saturatef", 1, 2, 0, 0) == 1);
    assert_true(of_function("__fdividef", 2, 1, 4, 0) == 0.25 && of_function("__frcp_rn", 1, 8, 0, 0) == 0.125);
    assert_true(of_function("fmaf", 3, 2, 3, 4) == 10 && of_function("__fsub_rn", 2, 2, 3, 0) == -1);
    assert_true(fabs(of_function("normcdff", 1, 0, 0, 0) - 0.5) < 1e-15 && fabs(of_function("rsqrtf", 1, 4, 0, 0) - 0.5) < 1e-15);
    assert_true(fabs(of_function("powf", 2, 2, 10, 0) - 1024) < 1e-9 && fabs(of_function("__exp10f", 1, 2, 0, 0) - 100) < 1e-10);
    assert_null(ks_function_find("fmaxf", 1));
    assert_null(ks_function_find("std", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_the_librarys), cmocka_unit_test(elements_have_their_values),
                                       cmocka_unit_test(extremes_mind_or_pass_what_is_no_number),
                                       cmocka_unit_test(whole_numbers_and_fp32_are_what_the_device_makes_of_them),
                                       cmocka_unit_test(what_takes_too_many_turns_has_no_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
