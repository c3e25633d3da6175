#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "os/file.h"
#include "source/signature.h"

static struct ks_arena arena;

static struct ks_signature_list read_stub(const char *name)
{
    struct ks_slice text;
    struct ks_err err = {0};
    struct ks_signature_list list;
    const char *path = ks_arena_printf(&arena, "%s/stubs/%s", KS_TEST_DATA, name);
    if (ks_file_read(&arena, path, 1 << 20, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    if (ks_signatures_read(&arena, text, &list, &err) != KS_OK)
        fail_msg("%s", err.text);
    return list;
}

// "element[*][c][r]@offset" of each parameter, space-separated.
static const char *params_of(const struct ks_signature *sig)
{
    const char *out = "";
    for (size_t i = 0; i < sig->n_params; i++) {
        const struct ks_type *t = &sig->params[i];
        out =
            ks_arena_printf(&arena, "%s%s%s%s%s%s@%zu", out, i ? " " : "",
                            ks_elem_text(&arena, t->elem), t->pointer ? "*" : "",
                            t->pointee_const ? "c" : "", t->restrict_ ? "r" : "", sig->offsets[i]);
    }
    return out;
}

static const struct ks_signature *find(const struct ks_signature_list *list, const char *registered)
{
    ks_vec_each (struct ks_signature, sig, list)
        if (strcmp(sig->registered, registered) == 0)
            return sig;
    fail_msg("%s is not registered", registered);
    return NULL;
}

static void expect(const struct ks_signature_list *list, const char *registered,
                   const char *qualified, const char *instance, const char *params)
{
    const struct ks_signature *sig = find(list, registered);
    assert_string_equal(sig->qualified, qualified);
    assert_string_equal(sig->instance, instance);
    assert_string_equal(params_of(sig), params);
}

// Offsets follow from the parameters' sizes and alignments by the usual C layout.
static void check_cases(const struct ks_signature_list *list)
{
    expect(list, "_ZN2ns2in5relaxIfLi256ELb1EEEvPKT_PS2_m", "ns::in::relax",
           "ns::in::relax<float,256,true>", "f32*cr@0 f32*@8 u64@16");
    expect(list, "_ZN2ns2in5relaxIdLi128ELb0EEEvPKT_PS2_m", "ns::in::relax",
           "ns::in::relax<double,128,false>", "f64*cr@0 f64*@8 u64@16");
    expect(list, "_ZN2ns2in8by_valueENS0_1PEP6float46float3", "ns::in::by_value",
           "ns::in::by_value", "?@0 f32x4*@16 f32x3@24");
    expect(list, "c_linkage", "c_linkage", "c_linkage",
           "u8*@0 i64@8 f16@16 f32*cr@24 ?@32 f32*@40 ?*@48");
    expect(list, "c_empty", "c_empty", "c_empty", "");
    expect(list, "_Z8typedefsPff", "typedefs", "typedefs", "f32*@0 f32@8");
    expect(list, "_Z5enumsIL1E1ELc97EEvPjPK7__half2PViPPfPKPKf", "enums", "enums<(E)1,97>",
           "u32*@0 f16x2*c@8 i32*@16 ?*@24 ?*@32");
    expect(list, "_Z4packIJifdEEvDpT_", "pack", "pack<int,float,double>", "i32@0 f32@4 f64@8");
    expect(list, "_Z4packIJEEvDpT_", "pack", "pack<>", "");
    expect(list, "_Z9dependentIfEv1SIT_ENS2_2InEPS2_", "dependent", "dependent<float>",
           "?@0 ?@4 ?*@8");
    expect(list, "_Z6boundsN2ns2in1PEPf", "bounds", "bounds", "?@0 f32*@16");
}

static void test_whole_program(void **state)
{
    (void)state;
    struct ks_signature_list list = read_stub("cases.stub.txt");
    assert_int_equal(list.len, 16); // 12 launches in run(), and 4 kernels that are not launched
    check_cases(&list);
    expect(&list, "_Z8internalylP13__nv_bfloat16cab", "internal", "internal",
           "u64@0 i64@8 bf16*@16 i8@24 i8@25 bool@26");
    size_t anonymous = 0, lambdas = 0, functions = 0;
    ks_vec_each (struct ks_signature, sig, &list) {
        anonymous += strcmp(sig->qualified, "anon") == 0;
        functions += strcmp(sig->qualified, "function_argument") == 0;
        if (strcmp(sig->qualified, "lambda_argument") == 0) {
            lambdas++;
            assert_int_equal(sig->n_template_args, 1);
            assert_string_equal(params_of(sig), "?@0 i32@8");
        }
    }
    assert_int_equal(anonymous, 1);
    assert_int_equal(lambdas, 2);
    assert_int_equal(functions, 1);
}

static void test_relocatable(void **state)
{
    (void)state;
    struct ks_signature_list list = read_stub("cases_rdc.stub.txt");
    assert_int_equal(list.len, 16);
    check_cases(&list);
    size_t internal = 0;
    ks_vec_each (struct ks_signature, sig, &list)
        if (ks_starts_with(sig->registered, "__nv_static_")) {
            internal++;
            assert_true(strcmp(sig->qualified, "anon") == 0 ||
                        strcmp(sig->qualified, "internal") == 0);
        }
    assert_int_equal(internal, 2);
}

// Every signature of the stub is an instance of exactly one definition in the source it came from.
static void test_matches_source(void **state)
{
    (void)state;
    struct ks_signature_list list = read_stub("cases.stub.txt");
    struct ks_slice text;
    struct ks_kernel_list kernels;
    const char *path = ks_arena_printf(&arena, "%s/stubs/cases.cu", KS_TEST_DATA);
    assert_int_equal(ks_file_read(&arena, path, 1 << 20, &text, NULL), KS_OK);
    assert_int_equal(ks_kernels_find(&arena, "cases.cu", text, &kernels, NULL), KS_OK);
    assert_int_equal(kernels.len, 13);
    ks_vec_each (struct ks_signature, sig, &list) {
        size_t n = 0;
        ks_vec_each (struct ks_kernel_decl, k, &kernels)
            n += ks_signature_matches(sig, k);
        bool is_pack = strcmp(sig->qualified, "pack") == 0;
        if (n != (is_pack ? sig->n_params == 1 : 1))
            fail_msg("%s matches %zu definitions", sig->instance, n);
    }
}

// Which definitions of a file, by number, the kernel `mangled` is taken for: "0", "13", "".
static const char *taken_for(const char *mangled, const struct ks_kernel_list *kernels)
{
    const char *text = ks_demangle(&arena, mangled);
    const char *open = strrchr(text, '(');
    struct ks_signature sig = {.registered = mangled};
    struct ks_type params[4];
    char list[256], *save = NULL;
    (void)snprintf(list, sizeof list, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
    for (char *one = strtok_r(list, ",", &save); one; one = strtok_r(NULL, ",", &save))
        params[sig.n_params++] = ks_type_parse(&arena, ks_slice_trim(ks_slice_of(one)));
    sig.params = params;
    const char *name = ks_starts_with(text, "void ") ? text + 5 : text;
    sig.instance = ks_instance_normalise(
        &arena, ks_arena_strndup(&arena, name, (size_t)(open - name)));
    sig.qualified = ks_arena_strndup(&arena, sig.instance, strcspn(sig.instance, "<"));
    const char *found = "";
    for (size_t i = 0; i < kernels->len; i++)
        if (ks_signature_matches(&sig, &kernels->at[i]))
            found = ks_arena_printf(&arena, "%s%zu", found, i);
    return found;
}

static void test_overloads(void **state)
{
    (void)state;
    static const char text[] = "__global__ void k(float *y, const float *x) {}\n"
                               "__global__ void k(double *y, double const *x) {}\n"
                               "__global__ void k(float *y, float *x) {}\n"
                               "__global__ void k(float *y, int n) {}\n"
                               "template <class T, int N = 4> __global__ void k(T *y, T x) {}\n"
                               "template <> __global__ void k<int>(int *y, int x) {}\n";
    struct ks_kernel_list kernels;
    assert_int_equal(ks_kernels_find(&arena, "k.cu", ks_slice_of(text), &kernels, NULL), KS_OK);
    assert_int_equal(kernels.len, 6);
    assert_string_equal(taken_for("_Z1kPfPKf", &kernels), "0");
    assert_string_equal(taken_for("_Z1kPdPKd", &kernels), "1");
    assert_string_equal(taken_for("_Z1kPfS_", &kernels), "2");
    assert_string_equal(taken_for("_Z1kPfi", &kernels), "3");
    assert_string_equal(taken_for("_Z1kPff", &kernels), "");
    assert_string_equal(taken_for("_Z1kIfLi4EEvPT_S0_", &kernels), "4");
    assert_string_equal(taken_for("_Z1kIiLi4EEvPT_S0_", &kernels), "45");
    assert_string_equal(kernels.at[5].specialization, "<int>");
    assert_string_equal(kernels.at[4].specialization, "");
}

// A name that the text leaves open may be any type.
static void test_open_types(void **state)
{
    (void)state;
    static const char text[] = "__global__ void k(real *y, vec x) {}\n"
                               "__global__ void r(size_t n, unsigned m, float *const y) {}\n";
    struct ks_kernel_list kernels;
    assert_int_equal(ks_kernels_find(&arena, "k.cu", ks_slice_of(text), &kernels, NULL), KS_OK);
    assert_string_equal(taken_for("_Z1kPfPKf", &kernels), "0");
    assert_string_equal(taken_for("_Z1kPd6float4", &kernels), "0");
    assert_string_equal(taken_for("_Z1kff", &kernels), "");
    assert_string_equal(taken_for("_Z1rmjPf", &kernels), "1");
    assert_string_equal(taken_for("_Z1rjjPf", &kernels), "");
}

static void same(const char *text, const char *expected)
{
    assert_string_equal(ks_instance_normalise(&arena, text), expected);
}

static void test_normalise(void **state)
{
    (void)state;
    same("ns::relax<float, (int)256>", "ns::relax<float,256>");
    same(" ns :: relax< float,256 >", "ns::relax<float,256>");
    same("::k<(bool)1, (bool)0, (char)97, 'a', 0x10u, 1'000ul, -3, (int)-3>",
         "k<true,false,97,97,16,1000,-3,-3>");
    same("k<const float*, float const *, const std::vector<int>&>",
         "k<float const*,float const*,std::vector<int> const&>");
    same("k<unsigned, long int, std::size_t, uint8_t, unsigned long long>",
         "k<unsigned int,long,unsigned long,unsigned char,unsigned long long>");
    same("k<S<T<int>>, half, nv_bfloat16*>", "k<S<T<int>>,__half,__nv_bfloat16*>");
    same("k<S<T<int> >, struct ns::P>", "k<S<T<int>>,ns::P>");
    same("(anonymous namespace)::k<(anonymous namespace)::T>", "k<T>");
    same("k<float const* const*, void (*)(int, const float)>",
         "k<float const* const*,void(*)(int,float const)>");
    same("plain", "plain");
    same("k<>", "k<>");
    same("", "");
    same("k<<<", "k<<<");
}

static void test_demangle(void **state)
{
    (void)state;
    assert_string_equal(ks_demangle(&arena, "_ZN2ns1kEPf"), "ns::k(float*)");
    assert_string_equal(ks_demangle(&arena, "cneg"), "cneg");
    assert_string_equal(ks_demangle(&arena, "__nv_static_4_abcd__Z1ki"), "k(int)");
    assert_string_equal(ks_demangle(&arena, "__nv_static_99_abcd__Z1ki"),
                        "__nv_static_99_abcd__Z1ki");
    assert_string_equal(ks_demangle(&arena, "_Zgarbage"), "_Zgarbage");
}

static void test_damaged_stub(void **state)
{
    (void)state;
    struct ks_signature_list list;
    struct ks_err err = {0};
    assert_int_equal(ks_signatures_read(&arena, ks_slice_of("int x;"), &list, &err), KS_OK);
    assert_int_equal(list.len, 0);
    // Registered, but no stub function launches it: left out.
    assert_int_equal(
        ks_signatures_read(&arena,
                           ks_slice_of("f(){__cudaRegisterEntry(h, ((void (*)(int))k), "
                                       "_Z1ki, (-1));}"),
                           &list, &err),
        KS_OK);
    assert_int_equal(list.len, 0);
    assert_int_equal(
        ks_signatures_read(&arena, ks_slice_of("\n__cudaRegisterEntry(h, k)"), &list, &err),
        KS_E_FORMAT);
    assert_non_null(strstr(err.text, "line 2"));
    assert_int_equal(ks_signatures_read(&arena, ks_slice_of("__cudaRegisterEntry("), &list, &err),
                     KS_E_FORMAT);
}

static void test_same_name(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"_Z5scalePfPKffi", "_Z5scalePfPKffi", true},
        {"_Z5scalePfPKffi", "_Z5otherPfPKffi", false},
        {"_Z5scalePf", "_Z5scalePfi", false},
        {"_ZN13_GLOBAL__N__11kEv", "_ZN16_GLOBAL__N__abcd1kEv", true},
        {"_ZN13_GLOBAL__N__11kEv", "_ZN16_GLOBAL__N__abcd1jEv", false},
        {"_ZN1a1kEv", "_ZN1b1kEv", false},
        {"__nv_static_2_ab__ZN1a1kEv", "__nv_static_3_xyz__ZN1a1kEv", true},
        {"__nv_static_2_ab__ZN1a1kEv", "_ZN1a1kEv", true},
        {"__nv_static_2_ab__ZN1a1kEv", "__nv_static_3_xyz__ZN1a1jEv", false},
        {"_ZN12_INTERNAL_aa1kEv", "_ZN13_INTERNAL_bbb1kEv", true},
        {"_ZN99_GLOBAL__N_", "_ZN99_GLOBAL__N_", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ks_registered_same(cases[i].a, cases[i].b), cases[i].same);
        assert_int_equal(ks_registered_same(cases[i].b, cases[i].a), cases[i].same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_program),  cmocka_unit_test(test_relocatable),
        cmocka_unit_test(test_overloads),      cmocka_unit_test(test_open_types),
        cmocka_unit_test(test_matches_source), cmocka_unit_test(test_normalise),
        cmocka_unit_test(test_demangle),       cmocka_unit_test(test_damaged_stub),
        cmocka_unit_test(test_same_name),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
