#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/kernel.h"

static struct ks_arena arena;

// "line qualified(type name, ...) <T,B> [bounds] C !problem", one kernel a line.
static const char *found(const char *text)
{
    struct ks_kernel_list list;
    struct ks_err err = {0};
    if (ks_kernels_find(&arena, "a.cu", ks_slice_of(text), &list, &err) != KS_OK)
        return ks_arena_printf(&arena, "error %s", err.text);
    const char *out = "";
    ks_vec_each (struct ks_kernel_decl, k, &list) {
        assert_int_equal(text[k->body], '{');
        assert_int_equal(text[k->end - 1], '}');
        assert_true(k->begin < k->body);
        out = ks_arena_printf(&arena, "%s%d %s(", out, k->line, k->qualified);
        for (size_t i = 0; i < k->n_params; i++)
            out = ks_arena_printf(&arena, "%s%s%s %s", out, i ? ", " : "", k->params[i].type.text,
                                  k->params[i].name);
        out = ks_arena_printf(&arena, "%s)", out);
        for (size_t i = 0; i < k->n_template_params; i++)
            out = ks_arena_printf(&arena, "%s%s%s", out, i ? "," : " <", k->template_params[i]);
        out = ks_arena_printf(&arena, "%s%s%s%s%s%s%s%s\n", out, k->n_template_params ? ">" : "",
                              *k->launch_bounds ? " [" : "", k->launch_bounds,
                              *k->launch_bounds ? "]" : "", k->extern_c ? " C" : "",
                              k->problem ? " !" : "", k->problem ? k->problem : "");
    }
    return out;
}

static void test_specifiers(void **state)
{
    (void)state;
    assert_string_equal(found("static __global__ void a() {}"), "1 a()\n");
    assert_string_equal(found("__global__ static void a(void) {}"), "1 a()\n");
    assert_string_equal(found("void __global__ a(int n) {}"), "1 a(int n)\n");
    assert_string_equal(found("extern \"C\" __global__ void a(int) {}"), "1 a(int ) C\n");
    assert_string_equal(found("__global__ void __launch_bounds__(256, 2) a(int n) {}"),
                        "1 a(int n) [256, 2]\n");
    assert_string_equal(found("__launch_bounds__(W*(B)) __global__ void a(int n) {}"),
                        "1 a(int n) [W*(B)]\n");
    assert_string_equal(found("[[nodiscard]] __attribute__((used)) __global__ void a(int n) {}"),
                        "1 a(int n)\n");
    assert_string_equal(found("__global__ void MY_BOUNDS a(int n) {}"), "1 a(int n)\n");
    assert_string_equal(found("__global__ void MY_BOUNDS(3) a(int n) {}"), "1 a(int n)\n");
    assert_string_equal(found("__global__ auto a(int n) -> void {}"), "1 a(int n)\n");
    assert_string_equal(found("__global__ void a(int n);\nvoid f() { a<<<1,1>>>(3); }"), "");
    assert_string_equal(found("THING(a)\n__global__ void a(int n) {}"), "2 a(int n)\n");
}

static void test_templates(void **state)
{
    (void)state;
    assert_string_equal(
        found("template <class T, int B = 3, typename... R>\n__global__ void a(T* x) {}"),
        "1 a(T* x) <T,B,R>\n");
    assert_string_equal(found("template<template<class> class C, bool V = (1 > 2), int = 0>"
                              "__global__ void a(C<int> x) {}"),
                        "1 a(C<int> x) <C,V,>\n");
    assert_string_equal(found("template<class T, std::enable_if_t<is_x<T>::value, int> = 0>"
                              "__global__ void a(A<B<T>> x) {}"),
                        "1 a(A<B<T>> x) <T,>\n");
    assert_string_equal(found("template<> __global__ void a<float, 3>(float* x) {}"),
                        "1 a(float* x)\n");
    assert_string_equal(found("template __global__ void a<float>(float*);"), "");
    assert_string_equal(
        found("template<class T> requires (sizeof(T) > 2) __global__ void a(T x) {}"),
        "1 a(T x) <T>\n");
    assert_string_equal(found("template<class T> requires requires (T t) { t.x; }\n"
                              "__global__ void a(T x) {}"),
                        "1 a(T x) <T>\n");
    assert_string_equal(found("template<class T> __global__ void a(T x) requires Small<T> {}"),
                        "1 a(T x) <T>\n");
    assert_string_equal(found("template<class... A> __global__ void a(A... x) {}"),
                        "1 a(A... x) <A> !parameter pack\n");
    struct ks_kernel_list list; // abbreviated: a template without a head
    ks_kernels_find(&arena, "a.cu", KS_SLICE("__global__ void a(auto x) {}"), &list, NULL);
    assert_true(list.at[0].is_template);
}

static void test_parameters(void **state)
{
    (void)state;
    assert_string_equal(found("__global__ void a(const float* __restrict x, float4 y = {1,2}, "
                              "int n = f(1, 2)) {}"),
                        "1 a(const float* __restrict x, float4 y, int n)\n");
    assert_string_equal(found("__global__ void a(float x[16], int y[][4], void (*f)(int, int), "
                              "float (&r)[4]) {}"),
                        "1 a(float* x, int (*)[4] y, void (*)(int,int) f, float (&)[4] r)\n");
    assert_string_equal(found("__global__ void a(unsigned int, unsigned n, const Foo, ns::Bar b, "
                              "std::size_t) {}"),
                        "1 a(unsigned int , unsigned n, const Foo , ns::Bar b, std::size_t )\n");
    assert_string_equal(found("__global__ void a(const __grid_constant__ P p, "
                              "[[maybe_unused]] float * const __restrict__ x, bool b = 3 < 4) {}"),
                        "1 a(const __grid_constant__ P p, float* const __restrict__ x, bool b)\n");
    assert_string_equal(
        found("__global__ void a(struct P p, decltype(p) q, T<(1>0)> r, int* /*z*/) {}"),
        "1 a(struct P p, decltype (p) q, T<(1>0)> r, int* )\n");
}

static void test_scopes(void **state)
{
    (void)state;
    assert_string_equal(found("namespace a::b { inline namespace c { namespace {\n"
                              "__global__ void k() {}\n} } __global__ void l() {} }\n"
                              "__global__ void m() {}"),
                        "2 a::b::c::k()\n3 a::b::l()\n4 m()\n");
    assert_string_equal(found("extern \"C\" { namespace n { __global__ void k() {} } "
                              "extern \"C++\" { __global__ void l() {} } }"),
                        "1 n::k() C\n1 l()\n");
    assert_string_equal(
        found("namespace n __attribute__((visibility(\"hidden\"))) {\n"
              "using namespace std; struct S { int x{3}; friend __global__ void z(S){} };\n"
              "int t[] = {1,2}; auto f = [](int x) { return x; };\n"
              "__global__ void k() { if (1) { } } enum class E { A }; }"),
        "4 n::k()\n");
    assert_string_equal(found("__global__ void n::k(int x) {}"), "1 n::k(int x)\n");
}

static void test_text_traps(void **state)
{
    (void)state;
    assert_string_equal(found("const char* s = R\"(__global__ void x() {)\"; // __global__ {\n"
                              "/* } */ __global__ void k() { char c = '}'; f(\"}\"); }"),
                        "2 k()\n");
    assert_string_equal(found("\xEF\xBB\xBF__global__ void k(\r\n int n)\r\n{\r\n}\r\n"),
                        "1 k(int n)\n");
    assert_string_equal(found("#define K(n) __global__ void n() {\nint x; __global__\nvoid k() {}"),
                        "2 k()\n");
    assert_string_equal(found("HIDDEN void k() {}"), "");
}

static void test_conditionals(void **state)
{
    (void)state;
    assert_string_equal(found("__global__ void k(int a\n#ifdef X\n, int b\n#endif\n) {}"),
                        "1 k(int a, int b) !conditional parameter list\n");
    assert_string_equal(
        found("#ifdef A\n__global__ void k(int a) {\n#else\n__global__ void k(float a) {\n"
              "#endif\n }\n__global__ void l() {}"),
        "2 k(int a) !braces duplicated across #if and #else\n7 l()\n");
    assert_string_equal(
        found("__global__ void k() {\n#ifdef A\n if (x) {\n#else\n for (;;) {\n#endif\n"
              " }\n}\n__global__ void l() {}"),
        "1 k()\n9 l()\n");
    assert_string_equal(found("__global__ void k() {\n#ifdef A\n if (x) {\n#else\n y();\n#endif\n"
                              "#ifdef A\n }\n#endif\n}\n__global__ void l() {}"),
                        "1 k() !the arms of an #if in the body differ in their braces\n11 l()\n");
    assert_string_equal(
        found("#ifdef A\n__global__ void k() {}\n#else\n__global__ void k() { ; }\n#endif"),
        "2 k()\n4 k()\n");
    assert_string_equal(found("#ifdef __cplusplus\nextern \"C\" {\n#endif\n__global__ void k() {}\n"
                              "#ifdef __cplusplus\n}\n#endif\n__global__ void l() {}"),
                        "4 k() C\n8 l()\n");
    assert_string_equal(
        found("#if 0\nit's { dead\n__global__ void k() {\n#endif\n__global__ void l() {}"),
        "5 l()\n");
    assert_string_equal(found("template <\n#ifdef A\nint X\n#endif\n>\n__global__ void k() {}"),
                        "1 k() <X> !conditional template head\n");
}

static void test_not_understood(void **state)
{
    (void)state;
    assert_string_equal(found("__global__ void NAME(k)(int n) {}"),
                        "1 NAME() !name made by a macro\n");
    assert_string_equal(found("\n__global__ void k(int n) {\n if (n) {\n}\n"),
                        "error a.cu:2: kernel k is never closed: no '}' matches the '{' on line 2; "
                        "add it, or look for a brace that stands in only one arm of an #if");
    assert_string_equal(found("__global__ void k(int n {\n}\n"),
                        "error a.cu:1: the parameter list of a kernel is never closed: no ')' "
                        "matches the '(' on this line; add it");
}

static void test_extent(void **state)
{
    (void)state;
    static const char text[] =
        "int a;\n// note\ntemplate<class T>\n__global__ void k(T x) { x; } int b;";
    struct ks_kernel_list list;
    assert_int_equal(ks_kernels_find(&arena, "a.cu", ks_slice_of(text), &list, NULL), KS_OK);
    assert_int_equal(list.len, 1);
    assert_int_equal(list.at[0].begin, strstr(text, "template") - text);
    assert_int_equal(list.at[0].body, strstr(text, "{") - text);
    assert_int_equal(list.at[0].end, strstr(text, " int b") - text);
    assert_string_equal(list.at[0].template_head, "template < class T >");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specifiers),     cmocka_unit_test(test_templates),
        cmocka_unit_test(test_parameters),     cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_text_traps),     cmocka_unit_test(test_conditionals),
        cmocka_unit_test(test_not_understood), cmocka_unit_test(test_extent),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
