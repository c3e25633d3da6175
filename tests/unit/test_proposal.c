// The gate of proposals: what it lets through, what it refuses and why; reading, writing, naming.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "proposal_text.h"
#include "source/proposal_plan.h"

// Of inline assembly a few statements as they stand in installed templates, and none in foreign text.
#define LDMATRIX "\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\""
#define LOAD(text, constraint, more)                                                               \
    "__device__ void s(unsigned (&r)[4], unsigned at) { asm volatile(" text " : " constraint         \
    "(r[0]), \"=r\"(r[1]), \"=r\"(r[2]), \"=r\"(r[3]) : \"r\"(at)" more "); }\n" KERNEL

#define ORDER(text, operands) "__device__ void s(float &c) { asm volatile(" text " : " operands " : : \"memory\"); }\n" KERNEL
#define THIRTY_TWO                                                                                 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, " \
    "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define PRODUCT(columns, signs)                                                                    \
    "__device__ void s(float (&c)[4], unsigned a, unsigned long long b) { asm volatile("            \
    "\"wgmma.mma_async.sync.aligned.m64n" columns "k8.f32.tf32.tf32 {" THIRTY_TWO                   \
    "}, {%32, %33, %34, %35}, %36, " signs ";\" : \"+f\"(c[0]) : \"r\"(a), \"l\"(b)); }\n" KERNEL

static void accepts(void **state)
{
    (void)state;
    static const char *const sources[] = {
        KERNEL,
        "static __global__ void __launch_bounds__(128, 2) k(float *__restrict__ y, const int n) {}",
        "__global__ void k(float y[], const int n) {}",
        "__global__ void k(float y[4], const int n) {}",
        "constexpr int N = 4, M = N * 2;\nconstexpr float T[2] = {1.f, 2.f};\n" KERNEL,
        "struct __align__(16) V { float a[4]; __device__ V() : a{} {} __device__ float operator[]"
        "(int i) const { return a[i]; } static constexpr int n = 4; static __device__ int f() "
        "{ return 1; } enum { A, B }; };\n" KERNEL,
        "template <class T, int N = (3 > 2)> struct S { T v; };\n"
        "template <class T> __device__ __forceinline__ T twice(T v) { return v + v; }\n" KERNEL,
        "enum class E : int { A = 1 }; struct F; typedef unsigned int u32;\n"
        "static_assert(sizeof(float) == 4, \"float\");\n" KERNEL,
        "__global__ void k(float *y, int n) { extern __shared__ float s[]; "
        "static __constant__ int t[2] = {1, 2}; __shared__ float u[32]; "
        "_Pragma(\"unroll\") for (int i = 0; i < n; i++) s[i] = t[i & 1]; "
        "_Pragma(\"unroll 4\") for (int i = 0; i < n; i++) u[i] = 'a' + 0x1p3f + 1e-5f; "
        "auto f = [&](int i) { return s[i] + u[i]; }; y[0] = f(0); }",
        "// gr\xc3\xb6\xc3\x9f" "er\n/* # include asm */\n" KERNEL,
        "__device__ auto add(int a, int b) -> int { return a < b ? a : b; }\n" KERNEL,
        "__device__ __nv_bfloat16 *p(__nv_bfloat16 *v) { return v; }\n" KERNEL,
        "__device__ int f(int *v) { __nv_atomic_store_n(v, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE); "
        "return __nv_atomic_load_n(v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE); }\n" KERNEL,
        LOAD(LDMATRIX, "\"=r\"", ""),
        LOAD("\"ldmatrix.sync.aligned.m8n8.x4.\"\n\"shared.b16 {%0, %1, %2, %3}, [%4];\"", "\"=r\"", ""),
        ORDER("\"wgmma.fence.sync.aligned;\"", ""),
        ORDER("\"wgmma.wait_group.sync.aligned 0;\"", ""),
        ORDER("\"fence.proxy.async.shared::cta;\"", ""),
        ORDER("\"\"", "\"+f\"(c)"),
        PRODUCT("64", "1, 1, 1"),
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct ks_err err = {0};
        if (check_source(sources[i], &err) != KS_OK)
            fail_msg("source %zu: %s", i, err.text);
    }
}

static void refuses_foreign_assembly(void **state)
{
    (void)state;
    struct ks_err err = {0};
    foreign = true;
    enum ks_status status = check_source(LOAD(LDMATRIX, "\"=r\"", ""), &err);
    foreign = false;
    assert_int_equal(status, KS_E_USER);
    assert_non_null(strstr(err.text, "'asm'"));
}

static void refuses(void **state)
{
    (void)state;
    static const struct {
        const char *source, *why;
    } cases[] = {
        {"#include <x>\n" KERNEL, "directives"},
        {"/**/ # define x\n" KERNEL, "directives"},
        {KERNEL "%:define x", "'%:'"},
        {"<%" KERNEL, "'<%'"},
        {KERNEL "?\?=define x", "trigraph"},
        {"// hidden ?\?/\n#define x\n" KERNEL, "trigraph"},
        {"// hidden \\\n" KERNEL, "splice"},
        {"// hidden \\  \n" KERNEL, "splice"},
        {"_\\\n_asm\n" KERNEL, "splice"},
        {KERNEL "\f", "control"},
        {KERNEL "\r\n", "control"},
        {"__device__ int \xc3\xa4() { return 1; }\n" KERNEL, "ASCII"},
        {"__device__ int \\u0061() { return 1; }\n" KERNEL, "'\\'"},
        {"// \xe2\x80\xae reordered\n" KERNEL, "direction"},
        {"// \xff\n" KERNEL, "malformed"},
        {KERNEL "/* open", "never closed"},
        {"__device__ const char *s() { return R\"(x)\"; }\n" KERNEL, "literal"},
        {"__device__ const char *s() { return \"x\"; }\n" KERNEL, "string literals"},
        {"__device__ int s() { return 'x; }\n" KERNEL, "closed"},
        {"__device__ int s() { return 1'000; }\n" KERNEL, "number"},
        {"__device__ float s() { return 0x1p+asm; }\n" KERNEL, "number"},
        {"__device__ float s() { return 1_x; }\n" KERNEL, "number"},
        {"} " KERNEL "{", "closes nothing"},
        {KERNEL "}", "closes nothing"},
        {"(" KERNEL, "never closed"},
        {"__global__ void k(float *y, int n) { y[(0]); }", "closes nothing"},
        {"__device__ void s() { asm(\"trap;\"); }\n" KERNEL, "'asm'"},
        {"__device__ void s() { __asm__ volatile(\"\"); }\n" KERNEL, "'__asm__'"},
        {LOAD("\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%4];\"", "\"=r\"", ""), "'asm'"},
        {LOAD(LDMATRIX " \"trap;\"", "\"=r\"", ""), "'asm'"},
        {LOAD("\"trap;\" " LDMATRIX, "\"=r\"", ""), "'asm'"},
        {LOAD(LDMATRIX, "\"=m\"", ""), "'asm'"},
        {LOAD(LDMATRIX, "\"=r\" \"\"", ""), "'asm'"},
        {LOAD(LDMATRIX, "\"=r\"", ": \"memory\""), "'asm'"},
        {"__device__ void s() { asm(" LDMATRIX "); }\n" KERNEL, "'asm'"},
        {ORDER("\"wgmma.fence.sync.aligned; trap;\"", ""), "'asm'"},
        {ORDER("\"wgmma.fence.sync.aligned;\" \"trap;\"", ""), "'asm'"},
        {ORDER("\"wgmma.fence.sync.\\x61ligned;\"", ""), "'asm'"},
        {ORDER("\"wgmma.wait_group.sync.aligned 2;\"", ""), "'asm'"},
        {ORDER("R\"(wgmma.fence.sync.aligned;)\"", ""), "'asm'"},
        {ORDER("\"\"", "\"=m\"(c)"), "'asm'"},
        {PRODUCT("32", "1, 1, 1"), "'asm'"},
        {PRODUCT("64", "1, -1, 1"), "'asm'"},
        {"__host__ void s() {}\n" KERNEL, "'__host__'"},
        {"void s() {}\n" KERNEL, "host function"},
        {"constexpr int s() { return 1; }\n" KERNEL, "host function"},
        {"__device__ void s();\n" KERNEL, "without body"},
        {"extern int x;\n" KERNEL, "'extern'"},
        {"extern __shared__ int x[];\n" KERNEL, "constexpr"},
        {"extern \"C\" " KERNEL, "'extern'"},
        {"namespace a {}\n" KERNEL, "'namespace'"},
        {"using namespace std;\n" KERNEL, "using namespace"},
        {"using T = int;\n" KERNEL, "'using'"},
        {"__device__ int operator+(int *a, int b) { return b; }\n" KERNEL, "operators"},
        {"template <> struct S<int> {};\n" KERNEL, "specialisation"},
        {"template struct S<int>;\n" KERNEL, "instantiation"},
        {"template <class T> __global__ void k(T *y, int n) {}", "template"},
        {"__device__ int counter;\n" KERNEL, "constexpr"},
        {"__device__ int counter = 0;\n" KERNEL, "constexpr"},
        {"__device__ int counter(0);\n" KERNEL, "without body"},
        {"typedef int T; __device__ T (counter){3};\n" KERNEL, "plain function"},
        {"typedef int T; __device__ const T (counter){3};\n" KERNEL, "plain function"},
        {"__device__ unsigned int (counter){3};\n" KERNEL, "plain function"},
        {"__constant__ int t[2];\n" KERNEL, "constexpr"},
        {"__device__ constexpr int t = 1;\n" KERNEL, "constexpr"},
        {"__managed__ int m;\n" KERNEL, "'__managed__'"},
        {"static int s = 1;\n" KERNEL, "constexpr"},
        {"const int s = 1;\n" KERNEL, "constexpr"},
        {"struct S { int a; } s;\n" KERNEL, "};"},
        {"struct S { static int a; };\n" KERNEL, "static members"},
        {"struct S { inline static __device__ int a{3}; };\n" KERNEL, "static members"},
        {"struct S { friend int f(S) { return 1; } };\n" KERNEL, "'friend'"},
        {"struct A::B { int x; };\n" KERNEL, "plain name"},
        {"__device__ int A::f() { return 1; }\n" KERNEL, "plain function"},
        {"__device__ int f() { static int c; return c++; }\n" KERNEL, "'static'"},
        {"__device__ int f() { static const int *c = 0; return *c; }\n" KERNEL, "'static'"},
        {"__device__ int f() { static __device__ int c; return c++; }\n" KERNEL, "static"},
        {"constexpr auto f = [](int i) { static int c = 0; return c++; };\n" KERNEL, "'static'"},
        {"__device__ int f(int x = [] { static int c; return c; }()) { return x; }\n" KERNEL,
         "'static'"},
        {"struct S { int a = [] { static int c; return c; }(); };\n" KERNEL, "'static'"},
        {"struct S { __device__ S() : a{1} { static int c; a = c++; } int a; };\n" KERNEL,
         "'static'"},
        {"__device__ int f() { thread_local int c; return c; }\n" KERNEL, "'thread_local'"},
        {"__device__ __attribute__((constructor)) int f() { return 1; }\n" KERNEL, "attributes"},
        {"[[gnu::constructor]] __device__ int f() { return 1; }\n" KERNEL, "'[['"},
        {"__location__(host) void f() {}\n" KERNEL, "'__location__'"},
        {"__END_DECLS\n" KERNEL, "reserved"},
        {"__device__ int f() { return ks_x_; }\n" KERNEL, "reserved"},
        {"__device__ void f() { cudaDeviceSynchronize(); }\n" KERNEL, "runtime"},
        {"__device__ void f() { __cudaGet_threadIdx(); }\n" KERNEL, "runtime"},
        {"__device__ void f(int n) { k<<<1, 1>>>(0, n); }\n" KERNEL, "launches"},
        {"__device__ void f() { void *l = 0; goto *l; }\n" KERNEL, "goto"},
        {"__device__ void f() { _Pragma(\"nv_diag_suppress 1\") }\n" KERNEL, "_Pragma"},
        {"__device__ void f() { _Pragma(\"unroll\\\"\") }\n" KERNEL, "_Pragma"},
        {"__device__ void f() { int *p = new int; }\n" KERNEL, "'new'"},
        {"__device__ void f() { try { f(); } catch (...) {} }\n" KERNEL, "exceptions"},
        {"__device__ void f() { __builtin_trap(); }\n" KERNEL, "builtin"},
        {"__device__ int f(int *v) { return __nv_atomic_load_n(v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM); }\n" KERNEL, "reserved"},
        {"__device__ int a$b() { return 1; }\n" KERNEL, "source:1"},
        {"__global__ void __cluster_dims__(2, 1, 1) k(float *y, int n) {}", "clusters"},
        {"__global__ inline void k(float *y, int n) {}", "before a kernel's name"},
        {"__global__ void k(float *y, int n = 3) {}", "default"},
        {"__global__ void k(float y[([]{ return 4; }())], int n) {}", "types and names"},
        {"__global__ void k(float y[sizeof(int)], int n) {}", "types and names"},
        {"__global__ void k(float y[4 + 4], int n) {}", "types and names"},
        {"__global__ void k(int (*y)(int), int n) {}", "types and names"},
        {"struct Own { int a; }; __global__ void k(float *y, Own n) {}", "builtin types"},
        {KERNEL KERNEL, "two kernels"},
        {"__device__ int f() { return 1; }\n", "at least one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_err err = {0};
        enum ks_status status = check_source(cases[i].source, &err);
        if (status != KS_E_USER || strstr(err.text, cases[i].why) == NULL)
            fail_msg("source %zu (%s): expected '%s', got %s '%s'", i, cases[i].source,
                     cases[i].why, ks_status_name(status), err.text);
    }
}

// `n` times `open`, then `close`.
static enum ks_status check_repeated(const char *open, int n, const char *close, struct ks_err *err)
{
    struct ks_buf text = KS_BUF(1 << 20);
    for (int i = 0; i < n; i++)
        ks_buf_puts(&text, open);
    ks_buf_puts(&text, close);
    const char *source = ks_arena_strdup(&arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return check_source(source, err);
}

static void limits_hold(void **state)
{
    (void)state;
    struct ks_err err = {0};
    const char *const line = "// a comment of thirty-six bytes....\n";
    assert_int_equal(check_repeated("template <class T> __device__ T f(T v) { return v; }\n", 64, KERNEL, &err),
                     KS_OK);
    assert_int_equal(check_repeated("template <class T> __device__ T f(T v) { return v; }\n", 65, KERNEL, &err),
                     KS_E_USER);
    assert_non_null(strstr(err.text, "templates"));
    assert_int_equal(check_repeated("(", 64, "", &err), KS_E_USER);
    assert_null(strstr(err.text, "nested deeper"));
    assert_int_equal(check_repeated("(", 70, "", &err), KS_E_USER);
    assert_non_null(strstr(err.text, "nested deeper"));
    assert_int_equal(check_repeated(line, 7000, KERNEL, &err), KS_OK);
    assert_int_equal(check_repeated(line, 8000, KERNEL, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "at most 262144"));
}

static void refuses_plans(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *why;
    } cases[] = {
        {"includes: [stdio.h]\n" PLAN, "stdio.h"},
        {"plan: [{kernel: q, args: []}]\n", "no kernel 'q'"},
        {"plan: [{kernel: k, args: [y]}]\n", "1 arguments"},
        {"plan: [{kernel: k, args: [n, n]}]\n", "argument 1"},
        {"plan: [{kernel: k, args: [y, a]}]\n", "argument 2"},
        {"plan: [{kernel: k, args: [y, m]}]\n", "'m'"},
        {"plan: [{kernel: k, grid: a, args: [y, n]}]\n", "'a'"},
        {"when: p > 1\n" PLAN, "'p'"},
        {"when: p.f32_8 > 1\n" PLAN, "'p.f32_8'"},
        {"when: x.i32_8 > 1\n" PLAN, "'x.i32_8'"},
        {"plan: [{kernel: k, args: [y, p.f32_8]}]\n", "member 'p.f32_8'"},
        {"plan: [{kernel: k, args: [y, p.ptr_8]}]\n", "member 'p.ptr_8'"},
        {"plan: [{kernel: k, args: [p.i64_0, n]}]\n", "argument 1"},
        {"when: w > 1\nworkspace: {w: n}\n" PLAN, "'w'"},
        {"workspace: {n: 4}\n" PLAN, "workspace 'n'"},
        {"plan: [{memset: w, value: 0}]\n", "no workspace"},
        {"workspace: {w: 4}\nplan: [{memset: w}]\n", "launches a kernel"},
        {"workspace: {w: 4}\nplan: [{kernel: k, args: [y, w]}]\n", "workspace 'w'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_err err = {0};
        enum ks_status status = check_parts(KERNEL, cases[i].rest, &err);
        if (status != KS_E_USER || strstr(err.text, cases[i].why) == NULL)
            fail_msg("plan %zu: expected '%s', got '%s'", i, cases[i].why, err.text);
    }
}

// The judge's addresses are not a program's: a guard must hold there wherever it holds at a launch.
static void asks_little_of_addresses(void **state)
{
    (void)state;
    static const char *const good[] = {
        "when: aligned(y, 16) && aligned(x, 256) && n % 4 == 0\n" PLAN,
        "when: \"n < 64 || aligned(y, 16) && !overlap(y, 4*n, x, 4*n)\"\n" PLAN,
        "when: \"!(overlap(y, 4*n, x, 4*n) || n < 4)\"\n" PLAN,
        "when: \"n > 9 ? aligned(y, 8) : !overlap(y, 4, x, 4)\"\n" PLAN,
        "plan: [{kernel: k, grid: \"aligned(y, 16) ? n : 2*n\", args: [y, n]}]\n",
        "when: aligned(p.ptr_0, 16) && p.u64_16 % 4 == 0\nplan: [{kernel: k, args: [p.ptr_0, p.i32_8]}]\n",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct ks_err err = {0};
        if (check_parts(KERNEL, good[i], &err) != KS_OK)
            fail_msg("guard %zu: %s", i, err.text);
    }
    static const struct {
        const char *rest, *why;
    } bad[] = {
        {"when: n != 777 || y > 1048576\n" PLAN, "an address is no number"},
        {"when: y % 4096 == 0\n" PLAN, "an address is no number"},
        {"when: p.ptr_0 % 4096 == 0\n" PLAN, "an address is no number"},
        {"when: \"!overlap(y, x, x, 4)\"\n" PLAN, "an address is no number"},
        {"when: n != 777 || aligned(y, 512)\n" PLAN, "power of two up to 256"},
        {"when: aligned(y, n)\n" PLAN, "power of two up to 256"},
        {"when: aligned(y, 12)\n" PLAN, "power of two up to 256"},
        {"when: \"n != 777 || !aligned(y, 16)\"\n" PLAN, "not for its opposite"},
        {"when: aligned(y, 16) == 0\n" PLAN, "not for its opposite"},
        {"when: \"aligned(y, 16) ? n < 9 : 1\"\n" PLAN, "not for its opposite"},
        {"when: overlap(y, 4*n, x, 4*n)\n" PLAN, "!overlap()"},
        {"when: \"!(n > 4 && !overlap(y, 4*n, x, 4*n))\"\n" PLAN, "!overlap()"},
        {"when: overlap(y, 4*n, x, 4*n) < 1\n" PLAN, "!overlap()"},
        {"plan: [{kernel: k, grid: y, args: [y, n]}]\n", "an address is no number"},
        {"plan: [{kernel: k, grid: \"!overlap(y, 4, x, 4)\", args: [y, n]}]\n", "!overlap()"},
        {"workspace: {w: y}\n" PLAN, "an address is no number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ks_err err = {0};
        if (check_parts(KERNEL, bad[i].rest, &err) != KS_E_USER || strstr(err.text, bad[i].why) == NULL)
            fail_msg("guard %zu: expected '%s', got '%s'", i, bad[i].why, err.text);
    }
    // What a domain could not ask for is not let through unnamed; a float is no matter.
    struct ks_err err = {0};
    struct ks_proposal p;
    struct ks_signature s = signature_of();
    assert_int_equal(read_text("source: X\nparams: [y, x, '', n, p]\n" PLAN, &p, &err), KS_OK);
    p.source = KERNEL;
    assert_int_equal(ks_proposal_check(&arena, &p, &s, &err), KS_OK);
    p.params[1] = "";
    assert_int_equal(ks_proposal_check(&arena, &p, &s, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "parameter 2 needs a name"));
}

#define LONG_FORM                                                                                 \
    "includes: [mma.h]\nparams: [y, x, a, n, p]\nsource: |\n  __global__ void k(float *y, "       \
    "int n) {}\nwhen: n%4==0\nworkspace: {part: \"4*ceildiv(n,2)\"}\nplan:\n"                     \
    "- {memset: part, value: 9}\n"                                                                \
    "- {kernel: k, grid: [ceildiv(n,4), 2], block: [32], shared: 4*n, args: [part, max(n,3)]}\n"

static void writes_what_it_reads(void **state)
{
    (void)state;
    struct ks_proposal a, b;
    struct ks_err err = {0};
    assert_int_equal(read_text(LONG_FORM, &a, &err), KS_OK);
    assert_int_equal(a.n_steps, 2);
    assert_int_equal(a.steps[1].n_args, 2);
    assert_non_null(a.steps[1].grid[1]);
    assert_null(a.steps[1].grid[2]);
    assert_int_equal(a.steps[0].value, 9);
    struct ks_buf text = KS_BUF(1 << 20);
    struct ks_yaml_writer w = {.out = &text};
    ks_proposal_write(&w, &a);
    assert_int_equal(read_text(ks_buf_text(&text), &b, &err), KS_OK);
    const char *id = ks_proposal_id(&arena, &a);
    assert_string_equal(id, ks_proposal_id(&arena, &b));
    assert_int_equal(strlen(id), 16);
    ks_buf_free(&text);
    b.steps[0].value = 8;
    assert_string_not_equal(id, ks_proposal_id(&arena, &b));
    b.steps[0].value = 9;
    b.source = "__global__ void k(float *y, int n) { }\n";
    assert_string_not_equal(id, ks_proposal_id(&arena, &b));
}

static void reads_errors_with_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"plan: []\n", "source"},
        {"source: x\nplan: []\n", "p.yaml:2"},
        {"source: x\nplan:\n- {kernel: k, grids: 1}\n", "grids"},
        {"source: x\nplan:\n- {memset: w, value: 256}\n", "0..255"},
        {"source: x\nplan:\n- {kernel: k, grid: [1, 2, 3, 4]}\n", "at most 3"},
        {"source: x\nwhen: n +\nplan: [{kernel: k}]\n", "p.yaml:2"},
        {"source: x\nplan: [{}]\n", "needs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_proposal p;
        struct ks_err err = {0};
        if (read_text(cases[i].text, &p, &err) != KS_E_USER ||
            strstr(err.text, cases[i].why) == NULL)
            fail_msg("text %zu: expected '%s', got '%s'", i, cases[i].why, err.text);
    }
}

static void names_types(void **state)
{
    (void)state;
    assert_string_equal(ks_plan_type_word(&arena, "ns::Pair const"), "Pair");
    assert_string_equal(ks_plan_type_word(&arena, "Pair"), "Pair");
    assert_string_equal(ks_plan_type_word(&arena, "void const*"), "void");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts),        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_foreign_assembly),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(refuses_plans), cmocka_unit_test(asks_little_of_addresses),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(names_types),    cmocka_unit_test(reads_errors_with_line),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
