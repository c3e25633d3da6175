// Features: what the text and launch say, and what stays unknown; refusals by construct and line.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "engine/given.h"
#include "engine/pattern.h"
#include "engine/subject.h"
#include "engine/transform.h"
#include "memory/fact.h"

static struct ks_arena arena;

struct made {
    struct ks_brief brief;
    struct ks_kernel_list kernels;
    struct ks_signature signature;
};

static void find_callees(struct made *m, const char *text, const char *unit)
{
    struct ks_word_index words;
    ks_word_index_make(&arena, ks_slice_of(unit), &words);
    ks_callees_find(&arena, ks_slice_of(text), &words, &m->brief.callees);
}

// A kernel without mark: the text alone.
static struct made *make(const char *text)
{
    struct made *m = KS_NEW(&arena, struct made);
    struct ks_err err = {0};
    if (ks_kernels_find(&arena, "t.cu", ks_slice_of(text), &m->kernels, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(m->kernels.len, 1);
    const struct ks_kernel_decl *decl = &m->kernels.at[0];
    m->signature.n_params = decl->n_params;
    m->signature.params = KS_NEW_ARRAY(&arena, struct ks_type, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        m->signature.params[i] = decl->params[i].type;
    m->brief = (struct ks_brief){
        .kernel_text = ks_arena_strndup(&arena, text + decl->begin, decl->end - decl->begin),
        .decl = decl,
        .signature = &m->signature,
    };
    find_callees(m, m->brief.kernel_text, text);
    return m;
}

// Arithmetic a thread, that counts towards what a byte costs.
static void tells_operations(const char *text, int operations)
{
    struct made *m = make(text);
    struct ks_subject subject;
    struct ks_pattern_list list;
    struct ks_err err = {0};
    assert_int_equal(ks_subject_make(&arena, &m->brief, &subject, &err), KS_OK);
    ks_patterns_find(&subject, &list);
    if (list.operations != operations)
        fail_msg("%g operations, not %d, in:\n%s", list.operations, operations, text);
}

// "name=value ..." must hold; "name=?" must be unknown.
static void expect(const char *text, const char *facts)
{
    struct made *m = make(text);
    struct ks_err err = {0};
    assert_int_equal(ks_engine_features(&arena, &m->brief, &err), KS_OK);
    for (size_t i = 0; i < m->brief.facts.len; i++)
        if (!ks_fact_is_known(m->brief.facts.at[i].name))
            fail_msg("%s is in no list", m->brief.facts.at[i].name);
    char *copy = ks_arena_strdup(&arena, facts), *rest;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        const struct ks_fact *fact = NULL;
        for (size_t i = 0; i < m->brief.facts.len; i++)
            if (strcmp(m->brief.facts.at[i].name, word) == 0)
                fact = &m->brief.facts.at[i];
        if (*value == '?' ? fact != NULL : !fact || fact->value != strtod(value, NULL))
            fail_msg("%s is %g, not %s, in:\n%s", word, fact ? fact->value : -1, value, text);
    }
}

static void facts_are_read(void **state)
{
    (void)state;
    expect("__global__ void k(const float *x, float *y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = expf(x[i]);\n}\n",
           "elementwise=1 map=1 axes=1 contiguous(thread)=1 strided(thread)=0 special=1 branches=1 "
           "loops=0 access_width(any)=4 atomics(param)=0 qualifiers_missing=1");
    expect("__global__ void k(const double *x, double *y, int n) {\n"
           "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)"
           "\n    y[i * 3] = x[i];\n}\n",
           "elementwise=1 grid_stride=1 strided(thread)=1 strided_writes=1 contiguous(thread)=0 "
           "double=1 access_width(any)=8");
    expect("__global__ void k(float *__restrict__ y, int n) {\n  __shared__ float s[32];\n"
           "  s[threadIdx.x] = y[threadIdx.x];\n  __syncthreads();\n"
           "  if (threadIdx.x == 0) atomicAdd(&y[blockIdx.x], s[0]);\n}\n",
           "map=0 elementwise=0 barriers=1 shared(static)=1 atomics(param)=1 qualifiers_missing=0");
    expect("__global__ void k(const int *p, const float *x, float *y, int n) {\n"
           "  int i = threadIdx.x + blockIdx.x * blockDim.x;\n  y[i] = x[p[i] / 2];\n}\n",
           "map=1 contiguous(thread)=? strided(thread)=?");
    // A number that is cut off to a byte is no longer the thread's.
    expect("__global__ void k(const float *x, float *y) {\n"
           "  unsigned char i = threadIdx.x + blockIdx.x * blockDim.x;\n  y[i] = x[i];\n}\n",
           "contiguous(thread)=? strided(thread)=? neighbours=0");
    expect("__global__ void k(float *y, int n) {\n  switch (n) { case 1: y[1] = 1; default: y[0] = 1; }\n}\n",
           "understood=0 map=? loops=?");
}

static void neighbours_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *value, *facts;
    } cases[] = {
        {"x[i - 1] + x[i + 1] * w[i]", "neighbours=1"},
        {"x[i - 1] + x[i + 1] * w[i] * w[i + 8]", "neighbours=2"},
        {"x[i] + x[i + 9] + w[i]", "neighbours=0"},                   // too far
        {"x[i] + x[i + n] + x[i + n - 1]", "neighbours=1"},           // two parts of an array, one with two
        {"x[2 * i] + x[2 * i + 1]", "neighbours=0"},                  // apart between threads
        {"x[i * n] + x[i * n + 1]", "neighbours=0"},
        {"y[i - 1] + y[i + 1]", "neighbours=0"},                      // written, too
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(ks_arena_printf(&arena,
                               "__global__ void k(const float *x, const float *w, float *y, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < 1 || i >= n - 1) return;\n  y[i] = %s;\n}\n",
                               cases[i].value),
               cases[i].facts);
    // In loops, whose range the text tells or does not.
    static const struct {
        const char *loop, *facts;
    } loops[] = {
        {"int k = -1; k <= 1; k++", "neighbours=1"}, {"int k = 0; k < 8; k += 2", "neighbours=1"},
        {"int k = 0; k < n; k++", "neighbours=0"},   {"int k = n; k < 8; k++", "neighbours=0"},
        {"int k = 3; k > 0; k--", "neighbours=0"},   {"int k = 0; k < 8; k += n", "neighbours=0"},
        {"short k = 0; k < 8; k++", "neighbours=0"}, {"int k = 8; k < 8; k++", "neighbours=0"},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        expect(ks_arena_printf(&arena,
                               "__global__ void k(const float *x, float *y, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n"
                               "  for (%s) s += x[i + k];\n  y[i] = s;\n}\n",
                               loops[i].loop),
               loops[i].facts);
    expect("__global__ void k(float *y, int n) {\n  y[threadIdx.x] = n;\n  __syncthreads();\n}\n", "neighbours=?");
}

#define INDEX "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
#define ROW(loop) "__global__ void k(const float *x, const float *w, const int *first, float *y, int n) {\n" \
                  INDEX "  if (i >= n) return;\n  float s = 0;\n" loop "  y[i] = s;\n}\n"

static void accesses_are_read(void **state)
{
    (void)state;
    expect(ROW("  for (int k = 0; k < 64; k++) s += x[i * 64 + k];\n"),
           "walks(thread)=1 broadcast(thread)=0 strided(thread)=1 contiguous(thread)=0 nest=1 free_loops=1 reductions=1");
    expect(ROW("  const float *p = x + i * 64;\n  for (int k = 0; k < 64; k++) s = s + p[k] * w[k];\n"),
           "walks(thread)=1 broadcast(thread)=1 strided(thread)=1 reductions=1 access_width(any)=4");
    expect(ROW("  for (int r = 0; r < 9; r++)\n    for (int k = threadIdx.x; k < 64; k += 32) s += x[r * 64 + k];\n"),
           "walks(thread)=0 broadcast(thread)=0 contiguous(thread)=1 strided(thread)=0 nest=2 free_loops=2");
    // Where a loop starts elsewhere in each thread, or a number is no polynomial, nothing is said of neighbours.
    expect(ROW("  for (int k = first[i]; k < first[i + 1]; k++) s += x[k];\n"),
           "walks(thread)=? broadcast(thread)=? contiguous(thread)=? strided(thread)=? reductions=1");
    expect(ROW("  for (int k = 0; k < 64; k++) {\n    int c = first[k];\n    s += x[c];\n  }\n"),
           "broadcast(thread)=1 contiguous(thread)=? walks(thread)=?");
    expect(ROW("  int r = i / 8;\n  for (int k = 0; k < 64; k++) s += x[r * 64 + k];\n"),
           "broadcast(thread)=? walks(thread)=? contiguous(thread)=? strided(thread)=?");
    expect(ROW("  const float *p = x;\n  for (int k = 0; k < 64; k++) s += *p++;\n"),
           "walks(thread)=? contiguous(thread)=? free_loops=0");
    // Arrays of the block's or the thread's own hide nothing, however many extents they have; pointers kept in one do.
    expect("__global__ void k(const float *x, float *y, int n) {\n  __shared__ float s[8][33];\n" INDEX
           "  s[threadIdx.x / 32][threadIdx.x % 32] = x[i];\n  __syncthreads();\n  float t = 0;\n"
           "  for (int k = 0; k < 32; k++) t += s[threadIdx.x / 32][k];\n  y[i] = t;\n}\n",
           "contiguous(thread)=1 strided(thread)=0 access_width(any)=4 walks(thread)=0 free_loops=1 reductions=1");
    expect(ROW("  float *at[2] = {y, y};\n  for (int k = 0; k < 64; k++) at[1][i * 64 + k] = x[k];\n"),
           "contiguous(thread)=? strided(thread)=? free_loops=0");
    expect(ROW("  float *at[2][2];\n  at[0][1] = y;\n  for (int k = 0; k < 64; k++) s += at[0][1][i * 64 + k];\n"),
           "contiguous(thread)=? walks(thread)=?");
    // What goes from turn to turn.
    expect(ROW("  for (int k = 0; k < 64; k++) s = s * 0.5f + x[k];\n"),
           "free_loops=0 reductions=0 broadcast(thread)=1");
    expect(ROW("  for (int k = 0; k < 64; k++) { s += x[k]; y[i] = s; }\n"), "free_loops=0");
    expect(ROW("  for (int k = 0; k < 64; k++) y[i + k] = x[k];\n"), "free_loops=1");
    expect(ROW("  for (int k = 1; k < 64; k++) y[i + k] = y[i + k - 1];\n"), "free_loops=0");
}

#define HELPED(helpers, call) helpers KERNEL(INDEX "  if (i < n) y[i] = " call ";\n")
#define KERNEL(body) "__global__ void k(const float *x, float *y, int n) {\n" body "}\n"
static const char quiet[] = "special=0 barriers=0 warp_ops=0 shared(static)=0 atomics(param)=0 double=0 map=1 elementwise=1";

// What functions do that the kernel calls, and those that they call, it does.
static void functions_are_followed(void **state)
{
    (void)state;
    expect(HELPED("__device__ float f(float a) { return 2 * a; }\n", "f(x[i])"), quiet);
    expect(HELPED("__device__ float f(float a) { return tanhf(a) + powf(a, 3.0f); }\n"
                  "__device__ float g(float a) { return f(a) + f(2 * a); }\n", "g(x[i])"), "special=4 elementwise=1");
    expect(HELPED("template <class T> __device__ T f(T a) { return T(0) < a ? exp(double(a)) : a; }\n", "f<float>(x[i])"),
           "special=1 double=1 map=1");
    expect(HELPED("__device__ float f(float a) { return __shfl_xor_sync(~0u, a, 1); }\n", "f(x[i])"), "warp_ops=1 map=0");
    expect(HELPED("__device__ float f(float a) { return a; }\n"
                  "__device__ float f(int a) { return __ballot_sync(~0u, a); }\n", "f(x[i])"), "warp_ops=1 map=0");
    expect(HELPED("__device__ float f(float a) {\n  __shared__ float s[64];\n  s[0] = a;\n  __syncthreads();\n"
                  "  return s[0];\n}\n", "f(x[i])"), "barriers=1 shared(static)=1 map=0 elementwise=0");
    // Atomics, on what the kernel passes on.
    expect("__device__ void bump(int v, float *p, float *q) { q[0] = v; atomicAdd(p + 1, 1.f); }\n"
           "__device__ void more(float *p) { bump(1, p, 0); }\n" KERNEL(INDEX "  more(&y[i]);\n"), "atomics(param)=1 map=1");
    expect("__device__ void bump(int v, float *p) { __shared__ float s; atomicAdd(&s, 1.f); *p = s; }\n"
           KERNEL(INDEX "  bump(i, y);\n"), "atomics(param)=0 shared(static)=1");
    expect("__device__ void bump(float *p) { float *q = p + 1; atomicAdd(q, 1.f); }\n" KERNEL(INDEX "  bump(y + i);\n"),
           "atomics(param)=1");
    // Of what is not seen nothing is said, but what there is.
    expect(HELPED("__device__ float f(float a);\n", "f(x[i])"), "special=? barriers=? warp_ops=? atomics(param)=? map=0");
    expect(HELPED("__device__ float f(float a) { return a < 1 ? a : expf(f(a / 2)); }\n", "f(x[i])"), "special=1 barriers=? map=0");
    // Names that begin like another's are others.
    expect(HELPED("__device__ float expand(float a) { return a; }\n__device__ float sink(float a) { return a; }\n",
                  "expand(sink(x[i]))"), quiet);
    expect(HELPED("", "logistic(x[i]) + __expf(x[i]) + std::sqrt(x[i]) + hypotf(x[i], 1) + powers(2)"), "special=3");
    // A function's arithmetic counts as much as the kernel's own.
    tells_operations(HELPED("__device__ float f(float a) { return 2 * a + a * a; }\n", "f(x[i]) - 1"), 4);
}

static void tells(const char *text, const char *line)
{
    struct made *m = make(text);
    struct ks_buf out = KS_BUF(1 << 16);
    assert_int_equal(ks_engine_describe(&arena, &m->brief, &out), KS_OK);
    if (strstr(ks_buf_text(&out), line) == NULL)
        fail_msg("no \"%s\" in:\n%s", line, ks_buf_text(&out));
    ks_buf_free(&out);
}

static void loops_are_told(void **state)
{
    (void)state;
    tells(ROW("  for (int k = 0; k < 64; k++) s += x[k];\n"),
          "line 5: for (k = 0; k < 64; k += 1), 64 turns, in any order, reduces s\n");
    tells(ROW("  for (int r = 0; r < 4; r++)\n    for (int k = 62; k >= 2; k = k - 2) s += x[r * 64 + k];\n"),
          "line 6: for (k = 62; k >= 2; k -= 2), in 1 other, 31 turns, in any order, reduces s\n");
    tells(ROW("  for (int k = 0; k < n; k++) s = s * 0.5f + x[k];\n"),
          "line 5: for (k = 0; k < n; k += 1), in this order: line 5: s goes from turn to turn\n");
    tells(ROW("  while (s < x[0]) s += 1;\n"), "line 5: a loop that does not count, in this order: ");
    tells("__global__ void k(const float *x, float *y, int n) {\n"
          "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)\n    y[i] = x[i];\n}\n",
          "i += blockDim.x * gridDim.x), each another element\n");
}

// Arithmetic that makes indexes is none on data.
static void arithmetic_is_counted(void **state)
{
    (void)state;
    tells_operations(KERNEL(INDEX "  if (i < n) y[i] = x[i] + 3 * x[i + 1];\n"), 2);
    tells_operations(KERNEL(INDEX "  const int row = i / 8, col = i % 8, at = min(row * n + col, n - 1);\n  y[at] = x[at] * 2;\n"), 1);
    tells_operations(KERNEL(INDEX "  for (int k = 0; k < 4; k++) {\n    int at = i * 4 + k;\n    y[at] = x[at] * 2 + 1;\n  }\n"), 8);
    // Of data it counts, in declarations as elsewhere.
    tells_operations(KERNEL(INDEX "  float v = x[i] * x[i] + 1;\n  y[i] = v;\n"), 2);
    tells_operations(KERNEL(INDEX "  int v = x[i], w = v * v + i;\n  y[i] = w;\n"), 2);
    tells_operations(KERNEL(INDEX "  float v = i * 2;\n  int w = v * 3;\n  y[i] = w;\n"), 2);
}

// A turn is as far from the next as the loop's step says, where that is a number.
static void steps_are_told(void **state)
{
    (void)state;
    tells(ROW("  for (int k = 0; k < 1024; k += 32) s += x[i * 1024 + k];\n"),
          "reads x[i * 1024 + k] (x), apart by 1024 in x, apart by 32 in k, 32 times a thread at most\n");
    expect(ROW("  for (int k = 0; k < 1024; k += 32) s += x[i * 1024 + k];\n"), "walks(thread)=0 strided(thread)=1");
    expect(ROW("  for (int k = 1023; k >= 0; k--) s += x[i * 1024 + k];\n"), "walks(thread)=1");
    tells(ROW("  for (int k = 62; k >= 2; k = k - 2) s += x[k * 8];\n"), "the same for all x, apart by -16 in k, 31 times");
    tells(ROW("  const int step = 16;\n  for (int k = 0; k < 64; k += step * 2) s += x[k];\n"), "apart by 32 in k, 2 times");
    tells(ROW("  for (int k = threadIdx.x; k < n; k += blockDim.x) s += x[k];\n"), "contiguous in x, k not known\n");
    tells(ROW("  for (int k = 1; k < n; k <<= 1) s += x[k];\n"), "x not known, k not known\n");
    expect(ROW("  for (int k = 0; k < n; k += first[0]) s += x[i * 64 + k];\n"), "walks(thread)=?");
    tells(ROW("  for (int k = 0; k < n; k += first[0]) s += x[i];\n"), "contiguous in x, the same for all k");
}

// Threads that end or begin at a place differ in one warp; those that look at their own data in any.
static void divergence_is_read(void **state)
{
    (void)state;
    expect(ROW("  s = x[i];\n"), "divergent=0 branches=1");
    expect(ROW("  if (x[i] > 0) s = 1;\n"), "divergent=1");
    expect(ROW("  float v = x[i];\n  if (n > 4 && !(v > 0 || first[0] > 3)) s = 1;\n"), "divergent=1");
    expect(ROW("  if (first[blockIdx.x] > 0 && n / 2 > 3) s = 1;\n"), "divergent=0");
    expect(ROW("  int half = n / 2;\n  if (half > 3 && i != half) s = 1;\n"), "divergent=0");
    expect(ROW("  int lane = threadIdx.x & 31, warp = threadIdx.x / 32;\n  if (warp == 0) s = 1;\n  if (lane == 0) s = 2;\n"),
           "divergent=1");
    expect(ROW("  if (threadIdx.x == 0) s = 1;\n  if (__any_sync(~0u, x[i] > 0)) s = 2;\n"), "divergent=0");
    expect(ROW("  if (atomicAdd(y, 1.f) > 0) s = 1;\n"), "divergent=1");
    expect(ROW("  if (i % 2) s = 1;\n  else if (i % 3 == 1) s = 2;\n"), "divergent=2");
    // What changes on the way is not followed, unless a thread's own data gets into it.
    expect(ROW("  int seen = 0;\n  for (int k = 0; k < n; k++) {\n    seen = k;\n    if (seen > 4) s = 1;\n  }\n"),
           "divergent=?");
    expect(ROW("  float most = 0;\n  for (int k = 0; k < n; k++) {\n    most = x[i * n + k];\n    if (most > 4) s = 1;\n  }\n"),
           "divergent=1");
    expect(ROW("  if (__shfl_sync(~0u, x[i], 3) > 0) s = 1;\n"), "divergent=?");
    // Loops, by their turns.
    expect(ROW("  for (int k = 0; k < n; k++) if (k > 4) s += x[k];\n"), "divergent=0 loops=1");
    expect(ROW("  for (int k = threadIdx.x; k < n; k += 32) s += x[k];\n"), "divergent=0");
    expect(ROW("  for (int k = threadIdx.x; k < n; k += blockDim.x) s += x[k];\n"), "divergent=0");
    expect(ROW("  for (int k = 0; k <= i; k++) s += x[k];\n"), "divergent=1");
    expect(ROW("  for (int k = first[i]; k < first[i + 1]; k++) s += x[k];\n"), "divergent=1");
    expect(ROW("  for (int k = first[0]; k < first[n]; k++) s += x[k];\n"), "divergent=0");
    expect(ROW("  float v = x[i];\n  while (v > 1) v = v / 2;\n"), "divergent=1");
    tells(ROW("  if (x[i] > 0) s = 1;\n"), "line 5: if (x[i] > 0), threads of a warp may differ\n");
    tells(ROW("  s = x[i];\n"), "line 3: if (i >= n), threads agree but at its edge\n");
    tells(ROW("  for (int k = 0; k <= i; k++) s += x[k];\n"), "in any order, reduces s, threads of a warp may differ\n");
}

// The reason why a transform refuses, in full.
static void refuse(const char *text, const char *transform, const char *params, const char *why)
{
    struct made *m = make(text);
    struct ks_subject subject;
    struct ks_options options = {0};
    struct ks_proposal proposal;
    struct ks_err err = {0};
    enum ks_status status = ks_subject_make(&arena, &m->brief, &subject, &err);
    if (status == KS_OK)
        status = ks_transform_apply(&subject, transform, params, &options, &err);
    if (status == KS_OK)
        status = ks_emit(&subject, &options, &proposal, &err);
    if (status != KS_E_UNSUPPORTED || strcmp(err.text, why) != 0)
        fail_msg("status %d, \"%s\" instead of \"%s\"", status, err.text, why);
}

// Goes through all gates.
static void served(const char *text, const char *transform, const char *params)
{
    struct made *m = make(text);
    struct ks_subject subject;
    struct ks_options options = {0};
    struct ks_proposal proposal;
    struct ks_err err = {0};
    if (ks_subject_make(&arena, &m->brief, &subject, &err) != KS_OK ||
        ks_transform_apply(&subject, transform, params, &options, &err) != KS_OK ||
        ks_emit(&subject, &options, &proposal, &err) != KS_OK)
        fail_msg("%s: \"%s\" in:\n%s", transform, err.text, text);
}

// Another launch changes nothing for these, and all for those.
static void functions_that_look_at_threads_refuse(void **state)
{
    (void)state;
    static const char *const params[][2] = {{"geometry", "block=64"}, {"vectorize", "width=4"}, {"stream", "width=4"},
                                            {"lanes", "lanes=32"},    {"jam", "items=2"},       {"private", "private=1"},
                                            {"split", "split=8"},     {"geometry", "block=64 items=4"}};
    static const struct {
        const char *text, *why;
    } texts[] = {
        {HELPED("__device__ float f(float a) {\n  __shared__ float s[256];\n  s[threadIdx.x] = a;\n  __syncthreads();\n"
                "  return s[threadIdx.x ^ 1];\n}\n", "f(x[i])"),
         "line 9: threads meet at a barrier in f()"},
        {HELPED("__device__ int f(int a) { return __popc(__ballot_sync(~0u, a)); }\n", "f(x[i] > 0)"),
         "line 4: threads of a warp exchange values in f()"},
        {HELPED("__device__ float f(float a) {\n  __shared__ float s;\n  s = a;\n  return s;\n}\n", "f(x[i])"),
         "line 8: shared memory is used in f()"},
        {HELPED("__device__ float f(float a) { float l = threadIdx.x & 31; return l * a; }\n", "f(x[i])"),
         "line 4: the numbers of threads or blocks are used in f()"},
        {HELPED("__device__ unsigned f() { unsigned l; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(l)); return l; }\n", "f()"),
         "line 4: the numbers of threads or blocks are used in f()"},
        {HELPED("__device__ void g(float *p) { *p = 1; __threadfence(); }\n"
                "__device__ float f(float a) { float b; g(&b); return b; }\n", "f(x[i])"),
         "line 5: writes are put in order for other threads in f()"},
        {HELPED("__device__ float f(float a);\n", "f(x[i])"),
         "line 4: what f() does is not known: its text is not seen, or it calls itself"},
        {HELPED("__device__ float f(float a) { return a < 1 ? a : f(a - 1); }\n", "1 + f(x[i])"),
         "line 4: what f() does is not known: its text is not seen, or it calls itself"},
        // The same in the kernel itself.
        {KERNEL(INDEX "  if (i < n) y[i] = x[i];\n  __threadfence_block();\n"),
         "line 4: writes are put in order for other threads"},
        {KERNEL(INDEX "  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
                "  float v = tile.shfl_down(x[i], 1);\n  if (i < n) y[i] = v;\n"),
         "line 4: threads of a warp exchange values"},
        {KERNEL(INDEX "  auto block = cg::this_thread_block();\n  if (i < n) y[i] = block.thread_rank();\n"),
         "line 3: the numbers of threads or blocks are used"},
        {KERNEL(INDEX "  auto block = cg::this_thread_block();\n  if (i < n) y[i] = x[i];\n  block.sync();\n"),
         "line 5: threads meet at a barrier"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof params / sizeof *params; k++)
            refuse(texts[i].text, params[k][0], params[k][1], texts[i].why);
    for (size_t k = 0; k < 3; k++)
        served(HELPED("__device__ float f(float a) { return 2 * expf(a); }\n", "f(x[i])"), params[k][0], params[k][1]);
    refuse("__device__ void bump(float *p) { atomicAdd(p, 1.f); }\n" KERNEL(INDEX "  if (i < n) bump(&y[i / 2]);\n"),
           "private", "private=1", "line 4: atomics in a function, bump(), are not gathered");
    refuse(HELPED("__device__ float f(float a) { return powf(a, 3.0f); }\n", "f(x[i])"), "math", "math=1",
           "line 4: what f() calls is not rewritten, only what the kernel calls itself");
    expect(HELPED("__device__ float f(float a) { return __shfl_xor_sync(~0u, a, 1); }\n",
                  "0;\n  for (int k = 0; k < 4; k++) y[k] = f(x[k])"), "free_loops=0");
}

// Objects that are called: a parameter's, a local one's, one without a name, and those that functions are given.
#define OBJECT(helpers, params, call) helpers "__global__ void k(" params "const float *x, float *y, int n) {\n" INDEX \
                                      "  if (i < n) y[i] = " call ";\n}\n"
#define SOFT "struct Soft {\n  float by;\n  __device__ float operator()(float a) const { return expf(a) * by; }\n" \
             "  __device__ float twice(float a) const { return logf(a) * 2; }\n};\n"
#define MEETS "struct Meets { __device__ float operator()(float a) const { __syncthreads(); return a; } };\n"
#define COUNTS "struct Counts { int *of; __device__ float operator()(float a) { if (a > 1) atomicAdd(of, 1); return a; } };\n"

static void objects_are_followed(void **state)
{
    (void)state;
    static const char other[] = "struct Other { __device__ float operator()(float a) const { return a; } };\n";
    expect(OBJECT(SOFT, "Soft op, ", "op(x[i])"), "special=1 barriers=0 atomics(param)=0 map=1 elementwise=1");
    expect(OBJECT(SOFT, "const Soft op, ", "op.twice(x[i])"), "special=1 barriers=0 map=1");
    expect(OBJECT(SOFT, "", "Soft{2}(x[i])"), "special=1 barriers=0 map=1");
    expect(OBJECT(SOFT "template <class F> __device__ float of(F f, float a) { return f(a) + Soft()(a); }\n", "Soft op, ", "of(op, x[i])"),
           "special=2 barriers=0 map=1");
    expect(OBJECT(MEETS, "Meets op, ", "op(x[i])"), "special=0 barriers=1 map=0");
    expect(OBJECT(COUNTS, "Counts op, ", "op(x[i])"), "special=0 barriers=0 atomics(param)=1 map=0");
    // Of several that the texts name any may be meant, of none nothing is known.
    expect(ks_arena_printf(&arena, OBJECT(MEETS "%stemplate <class F> __device__ float of(float a, F f) { return f(a); }\n", "",
                                          "of(x[i], Other())"), other),
           "special=0 barriers=0 map=1");
    expect(OBJECT(MEETS "template <class F> __device__ float of(float a) { F f; return f(a); }\n", "", "of<Meets>(x[i])"),
           "barriers=1 map=0");
    expect(OBJECT("struct Made {\n  float by;\n  __device__ Made(float b) { by = b; }\n"
                  "  __device__ float operator()(float a) const { return expf(a) * by; }\n};\n"
                  "template <class F> __device__ float of(float a, F f) { return f(a); }\n", "", "of(x[i], Made(2))"),
           "special=1 barriers=0 map=1");
    expect(OBJECT("struct Away { __device__ float operator()(float a) const; };\n", "Away op, ", "op(x[i])"),
           "special=? barriers=? atomics(param)=? map=0");
    expect(OBJECT("template <class F> ", "F op, ", "op(x[i])"), "special=? barriers=? atomics(param)=? map=0");
    expect(OBJECT("template <class F> ", "F op, ", "op.at(x[i])"), "special=? barriers=? map=0");
    static const char *const params[][2] = {{"geometry", "block=64"}, {"lanes", "lanes=32"}, {"jam", "items=2"}, {"split", "split=8"}};
    for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
        refuse(OBJECT(MEETS, "Meets op, ", "op(x[i])"), params[k][0], params[k][1], "line 4: threads meet at a barrier in op()");
        refuse(OBJECT(MEETS, "", "Meets()(x[i])"), params[k][0], params[k][1], "line 4: threads meet at a barrier in Meets()");
        refuse(OBJECT(COUNTS, "Counts op, ", "op(x[i])"), params[k][0], params[k][1],
               "line 4: atomics go to memory that no argument leads to in op()");
        refuse(OBJECT("template <class F> ", "F op, ", "op.at(x[i])"), params[k][0], params[k][1],
               "line 3: what at() does is not known: its text is not seen, or it calls itself");
    }
    served(OBJECT(SOFT, "Soft op, ", "op(x[i])"), "geometry", "block=64");
}

// Declarations of types do nothing and stay; an assert, as the preprocessor leaves it, is a trap where it fails.
static void types_are_declared(void **state)
{
    (void)state;
    static const char *const said[] = {
        "using Sum = ns::Sum<float, 256>;", "typedef typename ns::Sum<float, 4>::Held Held;", "using namespace std;",
        "enum { Q = 3, R };", "struct P { float a, b; };", "enum class E : int { one };",
        "(static_cast<bool>(n > 0) ? void(0) : __assert_fail(\"n > 0\", \"t.cu\", 3, __extension__ __PRETTY_FUNCTION__));"};
    static const char *const refused[] = {"using P = float *;", "typedef float row[4];", "using namespace ns;",
                                          "struct P { float a; } p;"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const char *text = ks_arena_printf(&arena, KERNEL("  %s\n" INDEX "  if (i < n) y[i] = x[i];\n"), said[i]);
        expect(text, "map=1");
        served(text, "geometry", "block=64");
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct made *m = make(ks_arena_printf(&arena, KERNEL("  %s\n" INDEX "  if (i < n) y[i] = x[i];\n"), refused[i]));
        struct ks_subject subject;
        struct ks_err err = {0};
        assert_int_equal(ks_subject_make(&arena, &m->brief, &subject, &err), KS_E_UNSUPPORTED);
    }
}

// Methods are those of the object's own class: what others call so says nothing, and of an object of no known class nothing is
// known.
static void methods_are_of_their_class(void **state)
{
    (void)state;
#define METHODS \
    "struct Base { __device__ float under(float a) const { return expf(a); } __device__ float at(float a) { return -a; } };\n" \
    "template <int N> struct Soft;\n" \
    "template <> struct Soft<4> final : public Base {\n  __device__ float step(float a) const { return inner(a); }\n" \
    "  __device__ float inner(float a) const { return this->under(a); }\n  __device__ float at(float a) const;\n};\n" \
    "struct Other { __device__ float step(float a) { __syncthreads(); return inner(a); }\n" \
    "  __device__ float inner(float a) { __syncthreads(); return a; } };\n" \
    "template <class Free> __device__ float freely(Free f, float a) { return f.step(a); }\n" \
    "struct Held { Other o; __device__ float step(float a) { return o.step(a); } };\n" \
    "__device__ float meets(Other &o, float a) { return o.step(a); }\n" \
    "__device__ float soft(const Soft<4> *s, float a) { return s->step(a); }\n"
    expect(OBJECT(METHODS, "Soft<4> op, ", "op.step(x[i])"), "special=1 barriers=0 map=1");
    expect(OBJECT(METHODS, "const Soft<4> *op, ", "op->step(x[i])"), "special=1 barriers=0");
    expect(OBJECT(METHODS, "Soft<4> op, ", "op.under(x[i])"), "special=1 barriers=0 map=1");
    expect(OBJECT(METHODS, "Soft<4> op, ", "soft(&op, x[i])"), "special=1 barriers=0");
    expect(OBJECT(METHODS, "Other op, ", "op.step(x[i])"), "barriers=2 map=0");
    expect(OBJECT(METHODS, "Other op, ", "meets(op, x[i])"), "barriers=2 map=0");
    // The class has none of that name, its text is not seen, or the class is not told.
    static const char *const unknown[][2] = {
        {"Other op, ", "op.under(x[i])"}, {"Soft<4> op, ", "op.at(x[i])"},      {"Away op, ", "op.step(x[i])"},
        {"Soft<4> *op, ", "op.step(x[i])"}, {"Soft<4> *op, ", "op[0].step(x[i])"}, {"Free op, ", "op.step(x[i])"},
        {"Held op, ", "op.step(x[i])"},   {"Other op, ", "freely(op, x[i])"},   {"Soft<4> *op, ", "(*op).step(x[i])"},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const char *text = ks_arena_printf(&arena, OBJECT(METHODS, "%s", "%s"), unknown[i][0], unknown[i][1]);
        expect(text, "special=? barriers=? map=0");
    }
    // Groups of threads, by CUDA's own functions that make them.
    static const char tile[] = "struct thread_block_tile { __device__ static int size() { return 32; } };\n" METHODS;
    expect(ks_arena_printf(&arena, "%s" KERNEL("  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n" INDEX
                                               "  if (i < n) y[i] = x[i] * tile.size();\n"), tile),
           "barriers=0");
    expect(KERNEL("  auto all = cg::this_thread_block();\n" INDEX "  if (i < n) y[i] = x[i] * all.size();\n"), "barriers=0 map=0");
}

// A template's instance for one function, as compilers spell it.
static struct made *given(const char *head, const char *arg, const char *helpers)
{
    struct made *m = make(ks_arena_printf(&arena, "%s%s\n__global__ void k(const float *x, float *y, int n) {\n" INDEX
                                                  "  if (i < n) y[i] = op(x[i]) + n;\n}\n", helpers, head));
    const char **args = KS_NEW_ARRAY(&arena, const char *, 1);
    args[0] = arg;
    m->signature.template_args = args;
    m->signature.n_template_args = 1;
    const char *name = ks_given_name(&arena, arg);
    find_callees(m, ks_arena_printf(&arena, "%s()", name ? name : ""), helpers);
    return m;
}

static void functions_are_put_in(void **state)
{
    (void)state;
    static const char twice[] = "namespace ops { __device__ float twice(float v) { return 2 * expf(v); } }\n";
    static const char *const pairs[][2] = {{"template <float (*op)(float)>", "& ops::twice"},
                                           {"template <float (*op)(float)>", "& _INTERNAL_0a_4_t_cu_1b::ops::twice"},
                                           {"template <float (*op)(float)>", "&((anonymous namespace)::ops::twice(float))"},
                                           {"template <float (&op)(float)>", "ops::twice(float)"},
                                           {"template <float op(float)>", "&(ops::twice(float))"},
                                           {"template <auto op>", "& ops::twice"},
                                           {"template <op_t op>", "& ops::twice"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct made *m = given(pairs[i][0], pairs[i][1], twice);
        struct ks_subject subject;
        struct ks_options options = {0};
        struct ks_proposal proposal;
        struct ks_err err = {0};
        if (ks_subject_make(&arena, &m->brief, &subject, &err) != KS_OK ||
            ks_transform_apply(&subject, "geometry", "block=64", &options, &err) != KS_OK ||
            ks_emit(&subject, &options, &proposal, &err) != KS_OK)
            fail_msg("%s %s: \"%s\"", pairs[i][0], pairs[i][1], err.text);
        assert_int_equal(subject.access.special, 1);
        assert_non_null(strstr(proposal.source, "ops::twice(x["));
        assert_null(strstr(proposal.source, "constexpr"));
    }
    struct ks_subject subject;
    struct ks_err err = {0};
    struct made *m = given("template <float (*op)(float)>", "&(ops::twice<float>(float))", twice);
    assert_int_equal(ks_subject_make(&arena, &m->brief, &subject, &err), KS_E_UNSUPPORTED);
    assert_string_equal(err.text, "line 2: the function op of the template is &(ops::twice<float>(float)), which no text can name");
    m = given("template <float (*op)(float)>", "& f", "__device__ float f(float v) { return v; }\n__device__ int f(int v) { return v; }\n");
    assert_int_equal(ks_subject_make(&arena, &m->brief, &subject, &err), KS_E_UNSUPPORTED);
    assert_string_equal(err.text, "line 3: the function op of the template is f, which is overloaded");
    // Numbers and other addresses stay what they are.
    assert_null(ks_given_name(&arena, "float"));
    assert_null(ks_given_name(&arena, "(anonymous namespace)::point"));
    assert_null(ks_given_name(&arena, "8"));
}

static void lines_may_end_in_a_backslash(void **state)
{
    (void)state;
    served(KERNEL(INDEX "  if (i < n)\n    y[i] = x[i] \\\n      + 1;\n"), "geometry", "block=64");
    served(KERNEL(INDEX "  // twice \\ or more\n  if (i < n) \\ \n    y[i] = 2 * x[i];\n"), "geometry",
           "block=64");
}

#define SUMS(turn) \
    KERNEL(INDEX "  if (i < n) {\n    float s = 0;\n    for (int j = 0; j < n; j++) {\n" turn "    }\n    y[i] = s;\n  }\n")

static void refusals_name_construct_and_line(void **state)
{
    (void)state;
    refuse(KERNEL(INDEX "  switch (n) {}\n"), "geometry", "block=64",
           "line 3: switch is not understood at \"switch\"");
    refuse(KERNEL(INDEX "  if (i >= n) return;\n  switch (n) {\n  case 1: y[i] = 1;\n  case 2: y[i] += 1;\n  }\n"),
           "geometry", "block=64", "line 4: switch is not understood at \"switch\"");
    refuse(KERNEL(INDEX "  switch (n++) { default: y[i] = 1; }\n"), "geometry", "block=64",
           "line 3: switch is not understood at \"switch\"");
    refuse(KERNEL(INDEX "  switch (n) {\n  case 1: if (i) break; y[i] = 1; break;\n  }\n"), "geometry", "block=64",
           "line 3: switch is not understood at \"switch\"");
    refuse("__global__ void k(const float *x, float4 *y, int n) {\n" INDEX "  if (i < n) y[i] = make_float4(1, 2, 3, x[0]);\n}\n",
           "vectorize", "width=4", "line 3: y has no elements of a scalar type");
    refuse(KERNEL("  int i = blockIdx.x + blockIdx.y * gridDim.x;\n  y[i * gridDim.y] = 1;\n"), "geometry", "block=64",
           "line 3: \"i\" is used other than in a global thread index");
    refuse(KERNEL("  int i = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;\n  y[i] = threadIdx.y;\n"),
           "geometry", "block=64", "line 3: \"i\" is used other than in a global thread index");
    refuse(KERNEL("  { using std::min; }\n" INDEX "  y[i] = min(x[i], 1.f);\n"), "geometry", "block=64",
           "line 2: using is not understood at \"using\"");
    refuse(KERNEL(INDEX "  float v = min(x[i], 1.f);\n  using std::min;\n  y[i] = min(v, 2.f);\n"), "geometry", "block=64",
           "line 4: using is not understood at \"using\"");
    refuse(KERNEL(INDEX "  if (int k = 1; [=] { return 1; }()) y[i] = k;\n"), "geometry", "block=64",
           "line 3: lambda is not understood at \"[\"");
    refuse(KERNEL(INDEX "again:\n  y[i] = 1;\n  if (y[i]) goto again;\n"), "geometry", "block=64",
           "line 3: a label is not understood at \"again\"");
    refuse(KERNEL(INDEX "#if A\n  y[i] = 1;\n#endif\n"), "geometry", "block=64",
           "line 3: preprocessor directive in the body is not understood at \"#if A\"");
    refuse(KERNEL(INDEX "  auto f = [=] { return 1; };\n"), "geometry", "block=64",
           "line 3: lambda is not understood at \"[\"");
    refuse(KERNEL(INDEX "  const char s[] = \"ab\";\n  y[i] = s[0];\n"), "geometry", "block=64",
           "line 3: a string is not understood at \"\"ab\"\"");
    refuse(KERNEL(INDEX "  __syncthreads();\n  y[i] = 1;\n"), "geometry", "block=64",
           "line 3: threads meet at a barrier");
    refuse(KERNEL(INDEX "  y[i] = __shfl_down_sync(~0u, x[i], 1);\n"), "vectorize", "width=4",
           "line 3: threads of a warp exchange values");
    refuse(KERNEL("  y[threadIdx.x] = x[blockIdx.x];\n"), "geometry", "block=64",
           "line 2: \"threadIdx.x\" is used other than in a global thread index");
    refuse(KERNEL(INDEX "  if (i < n)\n    y[i] = x[threadIdx.x];\n"), "vectorize", "width=4",
           "line 4: \"threadIdx.x\" is used other than in a global thread index");
    refuse(KERNEL(INDEX "  if (i < n && x[i] > 0)\n    y[i] = 1;\n"), "vectorize", "width=4",
           "line 4: y is not accessed for every element");
    refuse(KERNEL(INDEX "  if (i >= n)\n    return;\n  if (x[i] < 0)\n    return;\n  y[i] = 1;\n"),
           "vectorize", "width=4", "line 6: an element may be left early");
    refuse(KERNEL(INDEX "  if (i < n)\n    y[i + 1] = x[i];\n"), "vectorize", "width=4",
           "line 4: y is indexed by other than the element");
    refuse(KERNEL(INDEX "  if (i < n)\n    atomicAdd(&y[i], x[i]);\n"), "vectorize", "width=4",
           "line 4: y is indexed by other than the element");
    refuse(KERNEL(INDEX "  char *q = (char *)y;\n  if (i < n)\n    q[4 * i] = x[i];\n"), "vectorize",
           "width=4", "line 3: the pointer y is used other than by subscript");
    refuse(KERNEL(INDEX "  if (i < n)\n    y[i] = x[i];\n"), "rows", "rows=2",
           "line 1: the kernel has no index in y");
    refuse(KERNEL(INDEX "  if (i < n)\n    y[i] = x[i];\n"), "unroll", "unroll=4",
           "line 1: the kernel has no loop");
    static const char turns[] =
        KERNEL(INDEX "  if (i < n) {\n    float s = 0;\n    int j = 0;\n    do {\n      s += x[i + j];\n      j++;\n"
                     "    } while (j < 16);\n    y[i] = s;\n  }\n");
    refuse(turns, "jam", "items=2", "line 6: a `do` loop is not jammed: its turns are not counted");
    refuse(turns, "tile", "tile=16", "line 6: a `do` loop is not jammed: its turns are not counted");
    refuse(turns, "lanes", "lanes=32", "line 6: the loop does not count from a start to a limit");
    refuse(turns, "unroll", "unroll=4", "line 6: a `do` loop is not unrolled, innermost for loops are");
    refuse(KERNEL(INDEX "  if (i < n) {\n    float s = 0;\n    if (n > 7)\n      for (int j = 0; j < 16; j++)\n"
                        "        s += x[j];\n    y[i] = s;\n  }\n"),
           "jam", "items=2", "line 6: a loop inside of another statement is not jammed");
    refuse(KERNEL(INDEX "  if (i < n)\n    y[i] = x[i];\n"), "jam", "items=2", "line 1: the kernel has no loop");
    // Why nothing is staged is said of the read.
    refuse(SUMS("      s += j > 2 ? x[j] : 0;\n"), "tile", "tile=16",
           "line 6: x[j] is not staged: it is read under a condition, not in every turn");
    refuse(SUMS("      if (j > 2)\n        s += x[j];\n"), "tile", "tile=16",
           "line 7: x[j] is not staged: it is read under a condition, not in every turn");
    refuse(SUMS("      s += x[i * n + j];\n"), "tile", "tile=16 block=64",
           "line 6: x[i * n + j] is not staged: no other item of the block reads it");
    refuse(SUMS("      s += x[i * j];\n"), "tile", "tile=16",
           "line 6: x[i * j] is not staged: its index depends on more than the turn and one axis of the item");
    refuse(SUMS("      s += x[j / 2];\n"), "tile", "tile=16", "line 6: x[j / 2] is not staged: its index is no sum of products");
    refuse(SUMS("      s += x[0];\n"), "tile", "tile=16", "line 6: x[0] is not staged: it does not depend on the turn");
    refuse(SUMS("      s += y[j];\n"), "tile", "tile=16", "line 6: y[j] is not staged: the array may be written");
    refuse(SUMS("      for (int m = n; m > 0; m--)\n        s += x[j + m];\n"), "tile", "tile=16",
           "line 6: only loops that count upwards by one are staged");
    refuse(SUMS("      s += j;\n"), "tile", "tile=16", "line 1: no loop that all items go through reads an array");
    refuse(SUMS("      for (int m = 0; m < n; m++)\n        s += x[j * n + m];\n"), "tile", "tile=16",
           "line 1: the extent of a pointer is no expression of parameters"); // staged, but for the guard
    refuse(KERNEL(INDEX "  if (i < n)\n    y[i] = x[i];\n"), "readonly", "restrict=1",
           "line 1: the extent of a pointer is no expression of parameters");
    refuse(KERNEL(INDEX "  if (i < n)\n    y[i] = x[i];\n"), "bounds", "bounds=1",
           "line 1: the block size is not known");
    refuse(KERNEL(INDEX "  n--;\n  if (i < n)\n    y[i] = x[i];\n"), "geometry", "block=64",
           "line 3: the parameter n changes");
    refuse(KERNEL("  float s = 0;\n  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
                  "       i += blockDim.x * gridDim.x) {\n    s += x[i];\n    y[i] = s;\n  }\n"),
           "geometry", "block=64", "line 2: s is carried from element to element");
    refuse(KERNEL(INDEX "  for (int k = 0; k < n; k++) {\n    if (x[k] > 0)\n      return;\n"
                        "    y[i] = x[k];\n  }\n"),
           "geometry", "items=4", "line 5: return inside a loop");
}

// Whatever two transforms are put on top of each other.
static void every_refusal_has_its_line(void **state)
{
    (void)state;
    static const char *const texts[] = {KERNEL(INDEX "  if (i < n)\n    y[i] = x[i];\n"),
                                        KERNEL(INDEX
                                               "  if (i >= n)\n    return;\n  float s = 0;\n  for "
                                               "(int k = 0; k < n; k++)\n    s += x[k];\n"
                                               "  y[i] = s;\n"),
                                        KERNEL("  y[threadIdx.x] = x[blockIdx.x * n];\n")};
    static const char *const steps[][2] = {{"geometry", "block=32x8 items=4"},
                                           {"rows", "rows=4"},
                                           {"vectorize", "width=4"},
                                           {"stream", "stream=3"},
                                           {"unroll", "unroll=1"},
                                           {"bounds", "bounds=2"},
                                           {"readonly", "restrict=1"},
                                           {"math", "math=3"},
                                           {"jam", "items=1"},
                                           {"jam", "items=16 rows=8"},
                                           {"tile", "tile=999"},
                                           {"tile", "tile=8 ahead=3"},
                                           {"split", "split=999"},
                                           {"split", "split=4"},
                                           {"interchange", "interchange=1"},
                                           {"select", "select=1"},
                                           {"divide", "divide=1"},
                                           {"keep", "keep=2"},
                                           {"shuffle", "shuffle=1"},
                                           {"lanes", "lanes=32"},
                                           {"lanes", "lanes=24"},
                                           {"private", "private=3"},
                                           {"private", "private=1"}};
    enum { STEPS = sizeof steps / sizeof *steps };
    int refused = 0;
    for (size_t n = 0; n < STEPS * STEPS * (sizeof texts / sizeof *texts); n++) {
        const char *const *a = steps[n % STEPS], *const *b = steps[n / STEPS % STEPS];
        struct made *m = make(texts[n / STEPS / STEPS]);
        struct ks_subject subject;
        struct ks_options options = {0};
        struct ks_proposal proposal;
        struct ks_err err = {0};
        int line;
        assert_int_equal(ks_subject_make(&arena, &m->brief, &subject, &err), KS_OK);
        if (ks_transform_apply(&subject, a[0], a[1], &options, &err) == KS_OK &&
            ks_transform_apply(&subject, b[0], b[1], &options, &err) == KS_OK &&
            ks_emit(&subject, &options, &proposal, &err) == KS_OK)
            continue;
        refused++;
        if (err.status != KS_E_UNSUPPORTED || sscanf(err.text, "line %d: ", &line) != 1)
            fail_msg("%s %s on %s %s: %s", b[0], b[1], a[0], a[1], err.text);
    }
    assert_true(refused > 1000);
}

static void unknown_parameters_are_mistakes(void **state)
{
    (void)state;
    struct made *m = make(KERNEL(INDEX "  if (i < n)\n    y[i] = x[i];\n"));
    struct ks_subject subject;
    struct ks_options options = {0};
    struct ks_err err = {0};
    assert_int_equal(ks_subject_make(&arena, &m->brief, &subject, &err), KS_OK);
    assert_int_equal(ks_transform_apply(&subject, "vectorise", "", &options, &err), KS_E_USER);
    assert_string_equal(err.text, "no transform \"vectorise\"; did you mean vectorize");
    assert_int_equal(ks_transform_apply(&subject, "vectorize", "rows=2", &options, &err),
                     KS_E_USER);
    assert_int_equal(ks_transform_apply(&subject, "geometry", "block=32xx", &options, &err),
                     KS_E_USER);
    assert_int_equal(ks_transform_apply(&subject, "geometry", "block=64x32", &options, &err),
                     KS_E_USER);
}

static void what_no_shape_has_is_refused_at_once(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "items=2 jam=1 lanes=8", "tile=16 jam=1 width=4", "items=16 rows=8 jam=1", "lanes=32 items=2",
        "block=32x8 lanes=8",    "split=8 lanes=4",       "private=1 items=4",     "width=4 unroll=4",
        "items=16 rows=8"};
    struct ks_err err = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ks_options options = {0};
        assert_int_equal(ks_options_read(texts[i], &options, &err), KS_OK);
        assert_int_equal(ks_options_agree(&options, &err), KS_E_UNSUPPORTED);
    }
    struct ks_options fine = {0};
    assert_int_equal(ks_options_read("block=16x16 items=4 rows=4 restrict=1 jam=1 tile=16", &fine, &err), KS_OK);
    assert_int_equal(ks_options_agree(&fine, &err), KS_OK);
    fine = (struct ks_options){0};
    assert_int_equal(ks_options_read("items=2 rows=2", &fine, &err), KS_OK); // a patch
    assert_int_equal(ks_options_agree(&fine, &err), KS_OK);
}

static void options_print_as_they_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "block=32x8 rows=4 restrict=1",
                                        "block=256 items=2 width=4 stream=1", "block=8x8x4",
                                        "bounds=3 unroll=8"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ks_options options = {0};
        assert_int_equal(ks_options_read(texts[i], &options, NULL), KS_OK);
        assert_string_equal(ks_options_text(&arena, &options), texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_read),
        cmocka_unit_test(neighbours_are_read),
        cmocka_unit_test(accesses_are_read),
        cmocka_unit_test(functions_are_followed),
        cmocka_unit_test(objects_are_followed), cmocka_unit_test(methods_are_of_their_class), cmocka_unit_test(types_are_declared),
        cmocka_unit_test(functions_are_put_in),
        cmocka_unit_test(functions_that_look_at_threads_refuse),
        cmocka_unit_test(loops_are_told),
        cmocka_unit_test(steps_are_told),
        cmocka_unit_test(arithmetic_is_counted),
        cmocka_unit_test(divergence_is_read),
        cmocka_unit_test(lines_may_end_in_a_backslash),
        cmocka_unit_test(refusals_name_construct_and_line),
        cmocka_unit_test(every_refusal_has_its_line),
        cmocka_unit_test(unknown_parameters_are_mistakes),
        cmocka_unit_test(what_no_shape_has_is_refused_at_once),
        cmocka_unit_test(options_print_as_they_are_read),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
