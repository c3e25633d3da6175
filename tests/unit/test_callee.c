#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/callee.h"

static struct ks_arena arena;

static void find(const char *text, const char *unit, struct ks_callee_list *list)
{
    struct ks_word_index words;
    ks_word_index_make(&arena, ks_slice_of(unit), &words);
    ks_callees_find(&arena, ks_slice_of(text), &words, list);
}

static const char unit[] =
    "#define late(x) f(x)\n"
    "struct v3 { float x; __host__ __device__ v3(float a, float b); };\n"
    "__device__ float value(float a, const float &b, const float *c);\n"
    "__device__ void first(float &a, float b) { value(b, a, &a); }\n"
    "template <class T, int N> static __device__ inline void second(T a, T (&b)[N]) {}\n"
    "__attribute__((device)) void third(int n, float *out,\n"
    "                                   float const *in) noexcept {}\n"
    "__device__ void over(int a) {}\n"
    "__device__ void over(float a, double &b) {}\n"
    "__device__ float3 *pointed(int a) { return unseen(a); }\n"
    "__device__ static float sigmoid(float v)\n{\n    return 1.0f / (1.0f + expf(-v));\n}\n"
    "__device__ float swish(const float u) { return u * sigmoid(u); }\n"
    "__device__ float twice(float v);\n"
    "__device__ void last(float &a, float b, float c) {}\n"
    "struct v4 { __attribute__((device)) v4(float a); };\n"
    "__device__ void calls(float *x, float *y, int i) { if (value(1, *x, y) > 0) last(x[i], y[i], "
    "*y); y[i] = 0.5f * value(x[i], -1, &y[i]); }\n"
    "static __device__ unsigned int place(int a, int b) { return a * 8u + b; }\n"
    "inline unsigned\n  long long wide(void) { return 1; }\nconst int fixed(void) { return 1; }\n"
    "__device__ float steps(float v) { v += 1; return v; }\n";

static void test_changes(void **state)
{
    (void)state;
    static const char text[] =
        "value(x, y, p); ns::first(x, 1); second<float, 4>(x, a); third(1, p, q);"
        "over(1); pointed(2); unseen(x); v3(1, 2); first(x, 2); last(x, y, 1); v4(x);";
    struct ks_callee_list list;
    find(text, unit, &list);
    assert_int_equal(ks_callee_changes(&list, "value"), 0); // nor is a call behind a product
    assert_int_equal(ks_callee_changes(&list, "ns::first"), 1);
    assert_int_equal(ks_callee_changes(&list, "second<float, 4>"), 2);
    assert_int_equal(ks_callee_changes(&list, "third"), 2);
    assert_int_equal(ks_callee_changes(&list, "over"), 2);
    assert_int_equal(ks_callee_changes(&list, "pointed"), 0);
    assert_int_equal(ks_callee_changes(&list, "v3"), 0);
    assert_int_equal(ks_callee_changes(&list, "last"),
                     1); // a call behind a condition is no declaration
    assert_int_equal(ks_callee_changes(&list, "v4"), 0);
    assert_int_equal(ks_callee_changes(&list, "unseen"),
                     UINT32_MAX); // called there, declared nowhere
    assert_int_equal(ks_callee_changes(NULL, "value"), UINT32_MAX);
}

static void test_values(void **state)
{
    (void)state;
    static const char text[] = "y = swish(x) + twice(x) + steps(x); over(2); place(1, 2); wide(); fixed();";
    struct ks_callee_list list;
    find(text, unit, &list);
    assert_string_equal(ks_callee_find(&list, "swish")->params, "const float u");
    assert_string_equal(ks_callee_find(&list, "swish")->value, " u * sigmoid(u)");
    assert_string_equal(ks_callee_find(&list, "sigmoid")->value, " 1.0f / (1.0f + expf(-v))"); // swish calls it
    assert_null(ks_callee_find(&list, "twice")->value);
    assert_null(ks_callee_find(&list, "steps")->value);
    assert_null(ks_callee_find(&list, "over")->value);
    assert_string_equal(ks_callee_find(&list, "steps")->body, " v += 1; return v; ");
    assert_string_equal(ks_callee_find(&list, "steps")->result, "float");
    assert_string_equal(ks_callee_find(&list, "place")->result, "unsigned int");
    assert_string_equal(ks_callee_find(&list, "wide")->result, "unsigned\n  long long");
    assert_string_equal(ks_callee_find(&list, "fixed")->result, "int");
    assert_string_equal(ks_callee_find(&list, "steps")->params, "float v");
    assert_null(ks_callee_find(&list, "twice")->body);
    assert_null(ks_callee_find(&list, "over")->body);
}

static const char doing[] =
    "__device__ float soft(float v) { return v > 20.0f ? v : log1pf(__expf(v)); }\n"
    "__device__ float both(float v) { return soft(v) + soft(-v) * 2.0f; }\n"
    "template <typename T> __device__ void put(int n, T *to, T v) { for (int i = 0; i < n; i++) atomicAdd(&to[i], v); }\n"
    "__device__ void twice(float *first, float *second) { put<float>(2, second + 1, 1.0f); }\n"
    "__device__ void own(float *p) { __shared__ float mine[4]; atomicAdd(&mine[0], *p); __syncthreads(); }\n"
    "__device__ float kept(float v) { __attribute__((shared)) float own; own = v; atomicAdd(&own, v); return own; }\n"
    "__device__ int vote(int p) noexcept { return __any_sync(~0u, p); }\n"
    "__device__ int lane(void) { int l; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); return l; }\n"
    "__device__ float back(int n) { return n ? back(n - 1) : 0.0f; }\n"
    "__device__ float one(int n);\n__device__ float other(int n) { return one(n); }\n"
    "__device__ float mixed(float a) { return a; }\n__device__ double mixed(double a) { return sqrt(a); }\n"
    "__device__ float sinking(float a) { return a; }\n";

static void test_doing(void **state)
{
    (void)state;
    static const char text[] = "both(x); twice(p, q); own(p); kept(1); vote(1); lane(); back(2); other(1); mixed(x); sinking(x);";
    struct ks_callee_list list;
    find(text, doing, &list);
    const struct ks_doing *does = ks_callee_does(&list, "ns::both", false);
    assert_int_equal(does->special, 4);
    assert_int_equal(does->operations, 6);
    assert_int_equal(ks_callee_does(&list, "put<float>", false)->atomics, 2);
    assert_int_equal(ks_callee_does(&list, "put<float>", false)->operations, -1);
    assert_int_equal(ks_callee_does(&list, "twice", false)->atomics, 2);
    does = ks_callee_does(&list, "own", false);
    assert_int_equal(does->atomics, 0);
    assert_int_equal(does->shared, 1);
    assert_int_equal(does->barriers, 1);
    assert_int_equal(ks_callee_does(&list, "kept", false)->shared, 1);
    assert_int_equal(ks_callee_does(&list, "vote", false)->warp_ops, 1);
    assert_true(ks_callee_does(&list, "lane", false)->numbers);
    assert_string_equal(ks_callee_does(&list, "back", false)->unseen, "back");
    assert_string_equal(ks_callee_does(&list, "other", false)->unseen, "one");
    does = ks_callee_does(&list, "mixed", false);
    assert_true(does->doubles && does->special == 1 && !does->unseen);
    assert_int_equal(ks_callee_does(&list, "sinking", false)->special, 0);
    // CUDA's own by their names, methods of groups by theirs.
    assert_int_equal(ks_callee_does(&list, "std::tanh", false)->special, 1);
    assert_null(ks_callee_does(&list, "fmaxf", false));
    assert_null(ks_callee_does(&list, "expand", false));
    assert_int_equal(ks_callee_does(NULL, "__syncthreads_or", false)->barriers, 1);
    assert_int_equal(ks_callee_does(NULL, "shfl_down", true)->warp_ops, 1);
    assert_true(ks_callee_does(NULL, "cg::tiled_partition<32>", false)->numbers);
    assert_true(ks_callee_does(NULL, "__threadfence_block", false)->fences);
}

// As CUDA's headers have them: overloads that call each other by the same name, those of double among them.
static void test_library(void **state)
{
    (void)state;
    static const char headers[] =
        "static __inline__ __device__ unsigned int umax(unsigned int a, unsigned int b);\n"
        "static __inline__ __device__ unsigned int max(const unsigned int a, const int b) { return umax(a, (unsigned int)b); }\n"
        "static __inline__ __device__ long max(const long a, const long b) { return (long)max((long long)a, (long long)b); }\n"
        "static __inline__ __device__ double max(const double a, const float b) { return fmax(a, (double)b); }\n"
        "static __inline__ __device__ int larger(int a, int b) { return max(a, b); }\n";
    static const char text[] = "y = max(x, z) + larger(x, z);";
    struct ks_callee_list list = {0};
    find(text, headers, &list);
    assert_null(ks_callee_does(&list, "max", false));
    assert_null(ks_callee_does(&list, "larger", false)->unseen);
    assert_false(ks_callee_does(&list, "larger", false)->doubles);
}

// Overloads that each call one below, thirty levels deep: counts end somewhere.
static void test_many(void **state)
{
    (void)state;
    struct ks_buf text = KS_BUF(1 << 16);
    ks_buf_puts(&text, "__device__ void f0(int a) { __syncthreads(); }\n");
    for (int i = 1; i <= 40; i++)
        ks_buf_printf(&text, "__device__ void f%d(int a) { f%d(a); f%d(a); }\n", i, i - 1, i - 1);
    struct ks_callee_list list;
    find("f40(1);", ks_buf_text(&text), &list);
    assert_true(ks_callee_does(&list, "f40", false)->barriers > 1000);
    assert_true(ks_callee_does(&list, "f3", false)->barriers == 8);
    ks_buf_free(&text);
}

// A body that is longer than any window, and parameters that are.
static void test_long(void **state)
{
    (void)state;
    struct ks_buf text = KS_BUF(1 << 20);
    ks_buf_puts(&text, "__device__ void wide(int a");
    for (int i = 0; i < 2000; i++)
        ks_buf_printf(&text, ", int a%d", i);
    ks_buf_puts(&text, ") noexcept { __syncthreads(); }\n__device__ void tall(int a) {\n");
    for (int i = 0; i < 2000; i++)
        ks_buf_puts(&text, "{ a++; }\n");
    ks_buf_puts(&text, "__syncthreads(); }\n__device__ void open(int a) { {\n");
    struct ks_callee_list list;
    find("wide(1); tall(1); open(1);", ks_buf_text(&text), &list);
    assert_int_equal(ks_callee_does(&list, "wide", false)->barriers, 1);
    assert_int_equal(ks_callee_does(&list, "tall", false)->barriers, 1);
    assert_string_equal(ks_callee_does(&list, "open", false)->unseen, "open");
    ks_buf_free(&text);
}

static void test_words(void **state)
{
    (void)state;
    static const char text[] = "a ab a1 _a a(b) a";
    struct ks_word_index words;
    ks_word_index_make(&arena, ks_slice_of(text), &words);
    static const uint32_t at[] = {0, 11, 16};
    uint32_t word = 0;
    for (size_t i = 0; i < 3; i++) {
        word = ks_word_index_next(&words, KS_SLICE("a"), word);
        assert_int_not_equal(word, 0);
        assert_int_equal(words.at[word], at[i]);
    }
    assert_int_equal(ks_word_index_next(&words, KS_SLICE("a"), word), 0);
    assert_int_equal(ks_word_index_next(&words, KS_SLICE("c"), 0), 0);
    ks_word_index_make(&arena, ks_slice_of(""), &words);
    assert_int_equal(ks_word_index_next(&words, KS_SLICE("a"), 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_doing), cmocka_unit_test(test_library),
                                       cmocka_unit_test(test_many), cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_words)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
