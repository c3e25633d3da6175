// The text of a unit in double: what is renamed, and which includes come before that.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "verify/wide.h"
#include "verify/wide_struct.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_others_come_before_the_names_change),
        cmocka_unit_test(instances_are_found_again),
        cmocka_unit_test(padding_in_structs_of_structs_is_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
