#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "source/type.h"

static struct ks_arena arena;

// "<element>[*][c][r]": pointer, constant pointee, restrict; and the size of the element.
static void check(const char *text, const char *expected, size_t size)
{
    struct ks_type t = ks_type_parse(&arena, ks_slice_of(text));
    const char *got =
        ks_arena_printf(&arena, "%s%s%s%s", ks_elem_text(&arena, t.elem), t.pointer ? "*" : "",
                        t.pointee_const ? "c" : "", t.restrict_ ? "r" : "");
    assert_string_equal(got, expected);
    assert_int_equal(t.elem.size, size);
}

static void test_builtin(void **state)
{
    (void)state;
    check("int", "i32", 4);
    check("unsigned", "u32", 4);
    check("long unsigned int", "u64", 8);
    check("int long long unsigned", "u64", 8);
    check("short int", "i16", 2);
    check("signed char", "i8", 1);
    check("unsigned char", "u8", 1);
    check("bool const", "bool", 1);
    check("const float", "f32", 4);
    check("long double", "?", 16);
    check("__int128", "?", 16);
    check("void", "?", 0);
}

static void test_pointers(void **state)
{
    (void)state;
    check("const float *__restrict__", "f32*cr", 4);
    check("float const * const __restrict", "f32*cr", 4);
    check("float* const", "f32*", 4);
    check("volatile int*", "i32*", 4);
    check("void const*", "?*c", 0);
    check("float**", "?*", 8);
    check("const float* const*", "?*", 8);
    check("float (*)[4]", "?*", 0);
    check("float (&) [4]", "?", 0);
    check("void (*)(int, float)", "?*", 0);
    check("view<const float *>", "?", 0); // stars and const that are not its own
    check("view<box<float *>> *", "?*", 0);
    check("view<const float *> const *", "?*c", 0);
    check("run (float const*,float*,int)::{lambda (float)#2}", "?", 0);
    check("run(float*)::twice", "?", 0);
    check("{lambda(float*)#1}*", "?*", 0);
}

static void test_named(void **state)
{
    (void)state;
    check("std::uint8_t", "u8", 1);
    check("::int64_t const*", "i64*c", 8);
    check("size_t", "u64", 8);
    check("__half", "f16", 2);
    check("struct __nv_bfloat16 *", "bf16*", 2);
    check("__half2 const*", "f16x2*c", 4);
    check("ns::T*", "?*", 0);
    check("Foo<float>*", "?*", 0);
    check("mystd::size_t", "?", 0);
}

static void test_vectors(void **state)
{
    (void)state;
    check("float4", "f32x4", 16);
    check("uchar3", "u8x3", 3);
    check("double4_32a", "f64x4", 32);
    assert_int_equal(ks_type_parse(&arena, ks_slice_of("float3")).elem.align, 4);
    assert_int_equal(ks_type_parse(&arena, ks_slice_of("char4")).elem.align, 4);
    assert_int_equal(ks_type_parse(&arena, ks_slice_of("double4")).elem.align, 16);
    assert_int_equal(ks_type_parse(&arena, ks_slice_of("double4_32a")).elem.align, 32);
    check("float5", "?", 0);
    check("float44", "?", 0);
}

static void test_text_and_back(void **state)
{
    (void)state;
    assert_string_equal(ks_type_parse(&arena, ks_slice_of(" const   float*__restrict__ ")).text,
                        "const float* __restrict__");
    static const char *const names[] = {"f32", "i64", "u8x3", "f16x2", "bf16", "bool", "f64x4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ks_elem elem;
        assert_true(ks_elem_parse(names[i], &elem));
        assert_string_equal(ks_elem_text(&arena, elem), names[i]);
    }
    struct ks_elem elem;
    assert_false(ks_elem_parse("f32x5", &elem));
    assert_false(ks_elem_parse("f32x1", &elem));
    assert_false(ks_elem_parse("float", &elem));
    assert_false(ks_elem_parse("?", &elem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin),       cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_named),         cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_text_and_back),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
