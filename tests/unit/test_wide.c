// The text of a unit in double: what is renamed, and which includes come before that; what its runs say of products.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "verify/wide.h"
#include "verify/wide_struct.h"
#include "verify/wide_weigh.h"

static const char *wide_text(struct ks_arena *arena, const char *unit, const char *header)
{
    struct ks_source_file at[2] = {{.path = "src/k.cu", .text = ks_slice_of(unit)},
                                   {.path = "src/mine/help.cuh", .text = ks_slice_of(header)}};
    const struct ks_source_list files = {.at = at, .len = 2};
    struct ks_buf out = KS_BUF(1 << 20);
    struct ks_err err = {0};
    assert_int_equal(ks_wide_text(arena, &files, ks_slice_of(unit), &out, &err), KS_OK);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

static void headers_of_others_come_before_the_names_change(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    const char *text = wide_text(&arena, "#include <cub/cub.cuh>\n#include \"mine/help.cuh\"\nfloat x;\n",
                                 "  #  include <math.h>\n// #include <no.h>\n#include \"cuda_fp16.h\"\n");
    const char *renamed = strstr(text, "#define float double");
    assert_non_null(renamed);
    assert_non_null(strstr(text, "#define expf(...) exp((double)(__VA_ARGS__))\n"));
    assert_non_null(strstr(text, "#define make_float4 make_double4\n"));
    for (size_t i = 0; i < 3; i++) {
        const char *at = strstr(text, (const char *[]){"#include <cub/cub.cuh>", "#include <math.h>",
                                                       "#include \"cuda_fp16.h\""}[i]);
        assert_non_null(at);
        assert_true(at < renamed);
    }
    assert_non_null(strstr(text, "#define __nv_bfloat16 ks_w16\n"));
    // The user's own header is renamed in: it stands in the unit's text alone.
    const char *own = strstr(text, "help.cuh");
    assert_non_null(own);
    assert_true(own > renamed);
    assert_null(strstr(text, "no.h"));
    ks_arena_free(&arena);
}

static void instances_are_found_again(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    assert_string_equal(ks_wide_name(&arena, "ns::k<float,4>"), "ns::k<double,4>");
    assert_string_equal(ks_wide_name(&arena, "k<__half,__nv_bfloat162>"), "k<ks_w16,ks_w16x2>");
    assert_string_equal(ks_wide_name(&arena, "float_kernel<float4,floaty>"),
                        "float_kernel<double4,floaty>");
    ks_arena_free(&arena);
}

// What this kernel does not reach is emptied, in place; what classes, macros and the kernel itself call stays.
static void a_kernel_is_taken_alone(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    static const char unit[] = "#define TWICE(x) twice(x)\n"
                               "__device__ half2 twice(half2 x) { return x + x; }\n"
                               "__device__ half2 other(half2 x) { return mine(x); }\n"
                               "struct s { __device__ int f() { return of_class(1); } };\n"
                               "__device__ int of_class(int x) { return x; }\n"
                               "namespace ns { __device__ float mine(float x)\n{ return deep(x); } }\n"
                               "__device__ float deep(float x) { return x; }\n"
                               "constexpr __device__ int one() { return 1; }\n"
                               "__device__ int table[2] = {1, 2};\n"
                               "template <int N> __global__ void k(float *x) { *x = ns::mine(N); }\n"
                               "__global__ void l(half2 *x) { *x = other(*x); }\n"
                               "void host() { l<<<1, 1>>>(0); }\n";
    char *want = ks_arena_strdup(&arena, unit);
    memset(strstr(want, " return mine(x); "), ' ', 17);
    memset(strstr(want, " *x = other(*x); "), ' ', 17);
    struct ks_slice alone = ks_wide_alone(&arena, ks_slice_of(unit), "k");
    assert_int_equal(alone.len, strlen(unit));
    assert_string_equal(alone.at, want);
    ks_arena_free(&arena);
}

// {{float x; TYPE i;} a; int j, k;}: the int ends at 12 or, with a double beside it, at 16, in 24 bytes either way.
static size_t wide_pair(enum ks_scalar inner, unsigned char out[KS_WIDE_STRUCT])
{
    static const unsigned char bytes[16] = {0};
    static const bool matters[16] = {false};
    const struct ks_type whole = {.elem = {KS_T_I32, 1, 4, 4}}, real = {.elem = {KS_T_F32, 1, 4, 4}};
    struct ks_block_value values[] = {{0, "p.a.x", real, false}, {4, "p.a.i", inner == KS_T_F32 ? real : whole, true},
                                      {8, "p.j", whole, true}, {12, "p.k", whole, true}};
    const struct ks_block block = {.name = "p", .bytes = bytes, .matters = matters, .size = sizeof bytes,
                                   .values = values, .n_values = 4};
    return ks_wide_struct(&block, out);
}

static void padding_in_structs_of_structs_is_not_guessed(void **state)
{
    (void)state;
    unsigned char out[KS_WIDE_STRUCT];
    assert_int_equal(wide_pair(KS_T_F32, out), 24);
    assert_int_equal(wide_pair(KS_T_I32, out), 0);
}

// What special factors come to is no matter of the range that the others leave in one order or another.
static void special_factors_decide_of_themselves(void **state)
{
    (void)state;
    enum { LANES = 5 };
    const float inf = INFINITY, nan = NAN, want[LANES] = {nan, nan, nan, 0, 6};
    const double kinds[LANES] = {INFINITY, -0.0, NAN, 1, -1}, values[LANES] = {NAN, NAN, NAN, NAN, 6};
    struct ks_slot slot = {.count = LANES, .elem = {.scalar = KS_T_F32, .lanes = 1, .size = 4}};
    struct ks_output output = {.expected = {(void *)(uintptr_t)want}};
    struct ks_vector vector = {.family = KS_FAMILY_SPECIAL, .layout = {.slots = &slot, .n_slots = 1}, .outputs = &output,
                               .n_outputs = 1};
    double *value = malloc(sizeof values);
    double *change = calloc(LANES, sizeof *change);
    assert_non_null(value);
    assert_non_null(change);
    memcpy(value, values, sizeof values);
    assert_true(ks_wide_weigh_product(&vector, 0, value, change, kinds));
    const struct { float got[LANES]; int64_t bad; } cases[] = {
        {{inf, 0, nan, 0, 6}, 0},    {{nan, nan, nan, inf, 6}, 0}, {{-inf, 0, nan, nan, 6}, 1}, {{inf, 1, nan, 0, 6}, 1},
        {{inf, 0, inf, 0, 6}, 1},    {{inf, 0, nan, 3, 6}, 1},     {{inf, 0, nan, 0, 6.01f}, 1},
    };
    struct ks_tolerance derived = {.kind = KS_TOL_DERIVED};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_comparison c;
        ks_compare_to(&derived, slot.elem, want, cases[i].got, LANES, NULL, NULL, 0, NULL, &output.reference, NULL, &c);
        assert_int_equal(c.bad, cases[i].bad);
    }
    ks_vector_unrefer(&vector);
}

// Of a few rows that lost bits on the original's way most elements are elsewhere; of all, it does something else.
static void products_of_few_rows_are_believed(void **state)
{
    (void)state;
    enum { LANES = 64 };
    const struct { int far; bool left, believed; } cases[] = {
        {32, false, true}, {33, false, false}, {59, true, true}, {60, true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        float want[LANES];
        double *value = calloc(LANES, sizeof *value), *change = calloc(LANES, sizeof *change);
        struct ks_slot slot = {.count = LANES, .elem = {.scalar = KS_T_F32, .lanes = 1, .size = 4}};
        struct ks_output output = {.expected = {want}};
        struct ks_vector vector = {.family = KS_FAMILY_WIDE, .layout = {.slots = &slot, .n_slots = 1}, .outputs = &output,
                                   .n_outputs = 1};
        assert_non_null(change);
        assert_non_null(value);
        for (int i = 0; i < LANES; i++) {
            want[i] = i < cases[k].far ? 1.5f : 1;
            value[i] = 1;
        }
        want[LANES - 1] = cases[k].left ? 0 : want[LANES - 1];
        assert_true(ks_wide_weigh_product(&vector, 0, value, change, NULL) == cases[k].believed);
        if (cases[k].believed)
            ks_vector_unrefer(&vector);
        else
            free(value), free(change);
    }
}

// exp of a sum of terms near 4000 each errs by 4000 u of its value, near the type's end as elsewhere: that does not fit fp32.
static void what_moves_change_may_leave_the_type(void **state)
{
    (void)state;
    enum { LANES = 2 };
    const float want[LANES] = {1.3518e38f, 1}, near[LANES] = {1.3520e38f, 1.00014f}, far[LANES] = {1.37e38f, 1.01f};
    const struct ks_tolerance derived = {.kind = KS_TOL_DERIVED};
    struct ks_slot slot = {.count = LANES, .elem = {.scalar = KS_T_F32, .lanes = 1, .size = 4}};
    struct ks_output output = {.expected = {(void *)(uintptr_t)want}};
    struct ks_vector vector = {.layout = {.slots = &slot, .n_slots = 1}, .outputs = &output, .n_outputs = 1};
    double *value = calloc(LANES, sizeof *value), *change = calloc(LANES, sizeof *change);
    struct ks_comparison c;
    assert_non_null(value);
    assert_non_null(change);
    for (int i = 0; i < LANES; i++) {
        value[i] = (double)want[i];
        change[i] = 4000 * value[i];
    }
    assert_true(ks_wide_weigh(&vector, 0, false, 1, 0, value, change, NULL, NULL));
    ks_compare_to(&derived, slot.elem, want, near, LANES, NULL, NULL, 0, NULL, &output.reference, NULL, &c);
    assert_int_equal(c.bad, 0);
    ks_compare_to(&derived, slot.elem, want, far, LANES, NULL, NULL, 0, NULL, &output.reference, NULL, &c);
    assert_int_equal(c.bad, LANES);
    ks_vector_unrefer(&vector);
}

// One element of few that rounding brought elsewhere, hidden by a clamp, is chance; two, or one of three, are another function.
static void one_of_few_elements_may_be_elsewhere(void **state)
{
    (void)state;
    enum { LANES = 16 };
    const struct { int lanes, far; bool believed; } cases[] = {
        {4, 1, true}, {3, 1, false}, {1, 1, false}, {4, 2, false}, {7, 1, true}, {15, 2, false}, {16, 2, true}, {16, 3, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        float want[LANES];
        double *value = calloc(LANES, sizeof *value), *change = calloc(LANES, sizeof *change);
        struct ks_slot slot = {.count = cases[k].lanes, .elem = {.scalar = KS_T_F32, .lanes = 1, .size = 4}};
        struct ks_output output = {.expected = {want}};
        struct ks_vector vector = {.layout = {.slots = &slot, .n_slots = 1}, .outputs = &output, .n_outputs = 1};
        assert_non_null(change);
        assert_non_null(value);
        for (int i = 0; i < cases[k].lanes; i++) {
            want[i] = i < cases[k].far ? -2 : 1;
            value[i] = 1;
            change[i] = 1;
        }
        assert_true(ks_wide_weigh(&vector, 0, false, 1, 0, value, change, NULL, NULL) == cases[k].believed);
        if (!cases[k].believed) {
            free(value), free(change);
            continue;
        }
        // There both values are right, and nothing else is; elsewhere the original's size of error alone.
        struct ks_tolerance derived = {.kind = KS_TOL_DERIVED};
        const struct { float first, last; int64_t bad; } got[] = {{-2, 1, 0}, {1, 1, 0}, {0, 1, 1}, {1, -2, 1}};
        for (size_t i = 0; i < sizeof got / sizeof *got; i++) {
            float row[LANES];
            struct ks_comparison c;
            memcpy(row, want, sizeof row);
            row[0] = got[i].first;
            row[cases[k].lanes - 1] = got[i].last;
            ks_compare_to(&derived, slot.elem, want, row, cases[k].lanes, NULL, NULL, 0, NULL, &output.reference, NULL, &c);
            assert_int_equal(c.bad, got[i].bad);
        }
        ks_vector_unrefer(&vector);
    }
}

// Behind exact sums: who rounds a few factors is seen where that is more than making a result of the sum may err by.
static void rounded_factors_show_or_do_not(void **state)
{
    (void)state;
    enum { LANES = 128, CHANGED = 16 };
    const double u = 0x1p-24;
    // In u: the original's error of each value, 1, which moves change by 1 as well, and how far CHANGED of them are with rounded
    // factors. far: how many of the original's are off by more than 32 u.
    const struct { double own, rounded; int far; bool shows; int64_t seen; } cases[] = {
        {4, 68, 0, true, CHANGED}, // twice 16 u (|value| + change) and a rounding are 66
        {4, 64, 0, false, 0},
        {4, 0, 0, false, 0},
        {30, 160, 0, false, 0}, // four times its own error is more than 16 units
        {4, 160, 2, true, CHANGED},
        {4, 160, 3, false, CHANGED}, // more than sums behind it: other orders would differ
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        float want[LANES], got[LANES];
        double *value = calloc(LANES, sizeof *value), rounded[LANES], moved[LANES];
        struct ks_slot slot = {.count = LANES, .elem = {.scalar = KS_T_F32, .lanes = 1, .size = 4}};
        struct ks_output output = {.expected = {want}};
        struct ks_vector vector = {.family = KS_FAMILY_ODD, .layout = {.slots = &slot, .n_slots = 1}, .outputs = &output,
                                   .n_outputs = 1};
        struct ks_wide_shown shown = {0};
        assert_non_null(value);
        for (int i = 0; i < LANES; i++) {
            want[i] = 1;
            value[i] = 1 + (cases[k].own + 1) * u + (LANES - i <= cases[k].far ? 60 * u : 0);
            moved[i] = value[i] + KS_FILL_MOVE;
            rounded[i] = value[i] + (i < CHANGED ? cases[k].rounded * u : 0);
            got[i] = (float)rounded[i];
        }
        ks_wide_refer_odd(&vector, 0, value, moved);
        ks_wide_show(&vector, 0, rounded, &shown);
        assert_int_equal(shown.judged, LANES);
        assert_int_equal(shown.far, cases[k].far);
        assert_int_equal(shown.changed, cases[k].rounded > 0 ? CHANGED : 0);
        assert_int_equal(shown.seen, cases[k].seen);
        assert_true(ks_wide_is_shown(&shown) == cases[k].shows);
        struct ks_tolerance derived = {.kind = KS_TOL_DERIVED};
        struct ks_comparison c;
        ks_compare_to(&derived, slot.elem, want, got, LANES, NULL, NULL, 0, NULL, &output.reference, NULL, &c);
        assert_true(c.bad >= cases[k].seen); // what is seen is wrong
        ks_vector_unrefer(&vector);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_others_come_before_the_names_change),
        cmocka_unit_test(instances_are_found_again),
        cmocka_unit_test(a_kernel_is_taken_alone),
        cmocka_unit_test(padding_in_structs_of_structs_is_not_guessed),
        cmocka_unit_test(special_factors_decide_of_themselves),
        cmocka_unit_test(products_of_few_rows_are_believed),
        cmocka_unit_test(what_moves_change_may_leave_the_type),
        cmocka_unit_test(one_of_few_elements_may_be_elsewhere),
        cmocka_unit_test(rounded_factors_show_or_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
