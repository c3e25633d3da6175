// The gate of proposals: which names a proposal may give, and which templates it may specialise.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "proposal_text.h"
#include "source/proposal.h"

struct text {
    const char *source, *why; // NULL: nothing is said against it
};

static void check_all(const struct text *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ks_err err = {0};
        enum ks_status status = check_source(texts[i].source, &err);
        if (texts[i].why == NULL ? status != KS_OK : status != KS_E_USER || strstr(err.text, texts[i].why) == NULL)
            fail_msg("source %zu (%s): expected '%s', got %s '%s'", i, texts[i].source,
                     texts[i].why != NULL ? texts[i].why : "", ks_status_name(status), err.text);
    }
}

#define CHECK_ALL(texts) check_all(texts, sizeof(texts) / sizeof *(texts))

// A type by a name that parameters' types use would give kernels other parameters than they show.
static void refuses_disguises(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {"typedef float size_t;\n" KERNEL, "another name"},
        {"typedef short a, int4;\n" KERNEL, "another name"},
        {"typedef short int4, a;\n" KERNEL, "another name"},
        {"typedef float float4[4];\n" KERNEL, "another name"},
        {"typedef S<int, 3> size_t;\n" KERNEL, "another name"},
        {"typedef S<int, T<int>> a, int4;\n" KERNEL, "another name"},
        {"typedef int a[1 < 2], size_t;\n" KERNEL, "another name"},
        {"typedef int a[(3 > 2)], size_t[1 > 0];\n" KERNEL, "another name"},
        {"typedef S<int, 1, size_t;\n" KERNEL, "another name"},
        {"struct int4 { int a; };\n" KERNEL, "another name"},
        {"struct Pair { int a; };\n" KERNEL, "another name"},
        {"enum uint8_t { A };\n" KERNEL, "another name"},
        {"struct alignas(8) size_t { long long v; };\n" KERNEL, "'size_t' has a meaning"},
        {"struct __align__(8) size_t { long long v; };\n" KERNEL, "another name"},
        {"class alignas(8) alignas(16) size_t { long long v; };\n" KERNEL, "another name"},
        {"struct size_t final { long long v; };\n" KERNEL, "another name"},
        {"enum alignas(8) size_t : long long { zero };\n" KERNEL, "another name"},
        {"enum class alignas(8) size_t : long long { zero };\n" KERNEL, "another name"},
        {"template <class T> struct alignas(8) Pair { T a; };\n" KERNEL, "another name"},
        {"typedef long long size_t alignas(8);\n" KERNEL, "'size_t' has a meaning"},
        {"typedef long long size_t __align__(8);\n" KERNEL, "another name"},
        {"typedef int a, size_t alignas(8), b;\n" KERNEL, "another name"},
        {"typedef int a __align__(8), b, *size_t __align__(8);\n" KERNEL, "another name"},
        {"unsigned typedef size_t;\n" KERNEL, "another name"},
        {"typedef decltype(size_t(0) + 1.f) size_t;\n" KERNEL, "another name"},
        {"typedef decltype(0) (size_t);\n" KERNEL, "another name"},
        {"typedef int size_t(int);\n" KERNEL, "'size_t' has a meaning"},
        {"typedef int (*size_t)(int);\n" KERNEL, "another name"},
        {"typedef A<int>::b size_t;\n" KERNEL, "another name"},
        {"template <class T> using size_t = T;\n" KERNEL, "'using'"},
        {"struct std { typedef float size_t; };\n__global__ void k(float *y, std::size_t n) {}",
         "'std' has a meaning"},
        {"struct Own { struct Pair { int b, a; }; };\n__global__ void k(float *y, Own::Pair n) {}",
         "'Own' has a meaning"},
    };
    CHECK_ALL(texts);
}

static void takes_other_names(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {"typedef const float4 vec4; typedef unsigned int word; typedef word words[2];\n" KERNEL, NULL},
        {"typedef alignas(16) std::size_t pitch; size_t typedef other; typedef struct Pair pair, *pairs;\n"
         "typedef unsigned long long int word; typedef decltype(sizeof(size_t)) more; typedef R<size_t> r;\n"
         "enum class E : size_t { A }; struct S { size_t n; float4 v; struct Pair { int a; }; };\n"
         "__device__ size_t f(size_t size, float4 v) { return size; }\n" KERNEL, NULL},
        {"typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major> part;\n"
         "typedef S<T<int, float>, (1 > 2)> other, *more[N < 4 ? 1 : 2];\n" KERNEL, NULL},
    };
    CHECK_ALL(texts);
}

#define NAMED(kernel, parameter)                                                                   \
    "// one line\n__global__ void " kernel "(float *y,\n    int " parameter ") { y[0] = 1; }\n"

// The host compiler sees the names of kernels and parameters, before a body of ours.
static void refuses_names_of_others(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {NAMED("k", "__trap"), "source:3: kernel 'k': '__trap' cannot be a parameter's name"},
        {NAMED("k", "_Exit"), "source:3: '_Exit': names reserved"},
        {NAMED("__k", "n"), "source:2: a kernel cannot be named '__k'"},
        {NAMED("main", "n"), "source:2: a kernel cannot be named 'main'"},
        {NAMED("std", "n"), "source:2: a kernel cannot be named 'std'"},
        {NAMED("gridDim", "n"), "source:2: a kernel cannot be named 'gridDim'"},
        {NAMED("blockIdx", "n"), "a kernel cannot be named"},
        {NAMED("blockDim", "n"), "a kernel cannot be named"},
        {NAMED("threadIdx", "n"), "a kernel cannot be named"},
        {NAMED("warpSize", "n"), "a kernel cannot be named"},
        {NAMED("float4", "n"), "a kernel cannot be named"},
        {NAMED("Pair", "n"), "a kernel cannot be named"},
        {"__global__ void k(float *__restrict__ y, const int) { y[0] = 1; }\n", NULL},
        {"__global__ void k(float *__restrict__, int _n) { }\n", NULL},
        {"__global__ void k(float *std, const __grid_constant__ int main) { }\n", NULL},
    };
    CHECK_ALL(texts);
}

// A specialisation of a template of the user's would change the user's program.
static void specialises_its_own(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {"template <class T> struct R { T v; };\ntemplate <class T> struct R<T *> { T *v; };\n" KERNEL, NULL},
        {"template <class T> struct R;\nenum E { A }; template <class T> struct alignas(16) R<T *> { T *v; };\n"
         KERNEL, NULL},
        {"template <class T> constexpr int width = 4;\n" KERNEL, NULL},
        {"template <class T> struct S<T *> { int v; };\n" KERNEL, "not the proposal's"},
        {"template <class T> struct V {};\ntemplate <class T> struct S<V<T>> {};\n" KERNEL, "not the proposal's"},
        {"template <class Q> struct A { struct S { int x; }; };\ntemplate <class T> struct S<T *> {};\n" KERNEL,
         "not the proposal's"},
        {"template <template <class> class S> struct B {};\ntemplate <class T> struct S<T *> {};\n" KERNEL,
         "not the proposal's"},
        {"template <class Q> struct A { template <class T> struct S {}; };\ntemplate <class T> struct S<T *> {};\n"
         KERNEL, "not the proposal's"},
        {"struct A {}; template <class T> struct A __device__ *S() { return 0; }\ntemplate <class T> struct S<T *> {};\n"
         KERNEL, "not the proposal's"},
        {"struct A {}; template <class T> struct A constexpr S = {};\ntemplate <class T> struct S<T *> {};\n" KERNEL,
         "not the proposal's"},
        {"struct S *x();\ntemplate <class T> struct S<T *> {};\n" KERNEL, "without body"},
        {"template <class T> struct A : S<T> {};\ntemplate <class T> struct S<T *> {};\n" KERNEL, "not the proposal's"},
        {"template <class T> struct S<T *> {};\ntemplate <class T> struct S {};\n" KERNEL, "not the proposal's"},
        {"template <class T> struct A { template <class U> struct S<U *> {}; };\ntemplate <class T> struct S {};\n"
         KERNEL, "not the proposal's"},
        {"template <class T> constexpr int width<T *> = 4;\n" KERNEL, "specialisation of a variable"},
    };
    CHECK_ALL(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_disguises),
        cmocka_unit_test(takes_other_names),
        cmocka_unit_test(refuses_names_of_others),
        cmocka_unit_test(specialises_its_own),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
