// Transforms of maps: the code they make is run on the host against the original, at sizes that
// leave tails, and compiled by nvcc.
#include "../host_run/host_run.h"

#include "engine/engine.h"
#include "engine/subject.h"
#include "workload/problem.h"

static const int64_t awkward[] = {1, 2, 31, 33, 127, 257, 1021, 4099};
static const int64_t awkward_sides[] = {1, 2, 31, 33, 63, 127, 129, 257}; // of planes
enum { N_AWKWARD = sizeof awkward / sizeof *awkward };
_Static_assert(sizeof awkward == sizeof awkward_sides, "as many cases of each");

#define MARK1(arrays, grid, block)                                                                \
    "// ks: optimize\n// ks: workload let(n=4096) " arrays " grid(" grid ") block(" block ")\n"

static const char saxpy[] =
    MARK1("in(x[n]) inout(y[n]) set(a=1.5)", "ceildiv(n,128)", "128")
    "__global__ void saxpy(float a, const float *x, float *y, int n)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) {\n        y[i] = a * x[i] + y[i];\n    }\n}\n";

// Early return, 64-bit index, elements of two sizes, a table read by another index.
static const char lookup_[] =
    MARK1("in(k[n]=randint(0,15)) in(table[16]) out(y[n])", "ceildiv(n,64)", "64")
    "__global__ void lookup(const unsigned char *k, const float *table, float *y, long long n)\n{\n"
    "    const int tid = threadIdx.x;\n    size_t i = (size_t)blockIdx.x * blockDim.x + tid;\n"
    "    if (i >= n)\n        return;\n"
    "    float v = table[k[i] & 15];\n    if (v < 0)\n        v = -v;\n    y[i] = v + i;\n}\n";

static const char stride_[] =
    MARK1("in(x[n]) in(z[n]) out(y[n])", "2", "96")
    "__global__ void stride(const double *x, const double *z, double *y, int n)\n{\n"
    "    const double half = 0.5;\n    int step = gridDim.x * blockDim.x;\n"
    "    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += step) {\n"
    "        double s = x[i];\n        if (s > 0)\n            s = s * half;\n        y[i] = s + z[i];\n"
    "    }\n}\n";

// Fewer threads than elements, no guard: just what was written before may be written.
static const char few[] =
    MARK1("in(x[64*n]) inout(y[64*n])", "n", "32")
    "__global__ void few(const float *x, float *y, int n)\n{\n"
    "    y[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x] * 2;\n"
    "}\n";

static const char heat[] =
    "// ks: optimize\n// ks: workload let(nx=64) let(ny=32) set(k=0.1) in(u[nx*ny]) out(v[nx*ny])\n"
    "// ks: grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)\n"
    "__global__ void heat(const float *u, float *v, float k, int nx, int ny)\n{\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (x >= nx || y >= ny)\n        return;\n    int i = y * nx + x;\n"
    "    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {\n        v[i] = u[i];\n        return;\n"
    "    }\n"
    "    v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.0f * u[i]);\n}\n";

static const char interior[] =
    "// ks: optimize\n// ks: workload let(nx=64) let(ny=32) in(u[nx*ny]) inout(v[nx*ny])\n"
    "// ks: grid(ceildiv(nx,16), ceildiv(ny,16)) block(16,16)\n"
    "__global__ void interior(const float *u, float *v, int nx, int ny)\n{\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)\n"
    "        v[y * nx + x] = u[(y - 1) * nx + x] + u[(y + 1) * nx + x] + u[y * nx + x - 1];\n}\n";

// The index from copies of what it is made of, as most programs have it.
static const char copies[] =
    MARK1("in(x[n]) out(y[n])", "ceildiv(n,128)", "128")
    "__global__ void copies(const float *x, float *y, int n)\n{\n"
    "    int bx = blockIdx.x, tx = threadIdx.x;\n    const int base = bx * 128;\n"
    "    if (base + tx < n)\n        y[base + tx] = __ldg(x + base + tx) + 1;\n}\n";
static const char plane[] =
    "// ks: optimize\n// ks: workload let(nx=64) let(ny=32) in(u[nx*ny]) out(v[nx*ny])\n"
    "// ks: grid(ceildiv(nx,16), ceildiv(ny,8)) block(16,8)\n"
    "__global__ void plane(const float *u, float *v, int nx, int ny)\n{\n"
    "    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;\n"
    "    int row = by * 8 + ty, col = bx * 16 + tx;\n"
    "    if (row < ny && col < nx)\n        v[row * nx + col] = 2 * __ldg(u + row * nx + col);\n}\n";

// Types by other names, the program's and the kernel's own, and what only the compiler reads.
static const char named[] =
    "typedef unsigned int word;\nusing index_type = word;\nnamespace app { typedef double real; }\n"
    "struct pair_of { typedef float other; };\nusing namespace app;\n"
    MARK1("in(x[n]) in(z[n]) out(y[n])", "ceildiv(n,64)", "64")
    "__global__ void named(const double *x, const double *z, double *y, int n)\n{\n"
    "    using value = real;\n    typedef index_type place;\n    static_assert(sizeof(value) == 8, \"\");\n"
    "    [[maybe_unused]] const real none{0};\n"
    "    const place i{blockIdx.x * blockDim.x + threadIdx.x};\n    float other = 0.5f;\n"
    "    if (i < std::size_t(n)) [[likely]] {\n        value v = (real)x[i] + value(z[i]) * other;\n"
    "        y[i] = real{v} < none ? -v : v;\n    }\n}\n";

// Numbers and places from functions of the program: one that is called with what has another type, too.
static const char called[] =
    "__device__ __forceinline__ unsigned column() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"
    "namespace app { static __device__ inline unsigned int row_of(unsigned tile)\n"
    "{ return tile * blockIdx.y + threadIdx.y; } }\n"
    "__device__ int at(const int r, unsigned char c, const int n) { return r * n + c; }\n"
    "// ks: optimize\n// ks: workload let(nx=64) let(ny=32) in(u[nx*ny]) out(v[nx*ny])\n"
    "// ks: grid(ceildiv(nx,16), ceildiv(ny,8)) block(16,8)\n"
    "__global__ void called(const float *u, float *v, int nx, int ny)\n{\n"
    "    unsigned x = column(), y = app::row_of(8);\n    if (x >= nx || y >= ny)\n        return;\n"
    "    v[y * nx + x] = u[at(y, x, nx)] + u[at(y, x < nx - 1 ? x : 0, nx)];\n}\n";

// Blocks of two axes that are numbered through, and what stands for `threads`.
#define MARK2 "// ks: optimize\n// ks: workload let(n=4096) in(x[n]) out(y[n]) grid(3, ceildiv(n,3*64)) block(64)\n"
static const char through[] =
    MARK2 "__global__ void through(const float *x, float *y, int n)\n{\n"
    "    int block = blockIdx.x + blockIdx.y * gridDim.x;\n    int i = block * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n        y[i] = 2 * x[i];\n}\n";
static const char written_out[] =
    MARK2 "__global__ void written_out(const float *x, float *y, int n)\n{\n"
    "    const int i = blockDim.x * gridDim.x * blockIdx.y + blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n        y[i] = 2 * x[i] + i / n;\n}\n";

// Declarations at the head of `if` and `switch`: the name of one is another's elsewhere; and a function by its last name.
static const char headed[] =
    "namespace app { __host__ __device__ inline float least(float a, float b) { return b < a ? b : a; } }\n"
    MARK1("in(x[n]) out(y[n])", "ceildiv(n,64)", "64")
    "__global__ void headed(const float *x, float *y, int n)\n{\n    using app::least;\n    float w = 1;\n"
    "    if (n > 40)\n        if (float v = x[0]; v > 0) w = v;\n        else w = 2;\n"
    "    if (float v = x[n - 1], u = 2 * w; v < u) { w = u - v; }\n"
    "    switch (int v = n % 3; v) {\n    case 1:\n        w = 3;\n        break;\n    default:\n        w += v;\n    }\n"
    "    if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)\n        y[i] = least(w * x[i], 1.f);\n}\n";

static struct ks_arena arena;

static struct ks_proposal *made(struct host_case *c, const char *options)
{
    struct ks_err err = {0};
    struct ks_subject *subject = KS_NEW(&arena, struct ks_subject);
    struct ks_options o = {0};
    struct ks_proposal *proposal = KS_NEW(&arena, struct ks_proposal);
    if (ks_subject_make(&arena, &c->brief, subject, &err) != KS_OK ||
        ks_options_read(options, &o, &err) != KS_OK ||
        ks_emit(subject, &o, proposal, &err) != KS_OK)
        fail_msg("%s: %s", options, err.text);
    return proposal;
}

// Runs one kernel under several options; the guard must hold in at least `least` cases.
static void check(const char *text, const char *const *options, size_t n, int least)
{
    struct host_case c;
    struct ks_proposal *proposals[16];
    host_case_make(&arena, text, NULL, NULL, 0, &c);
    for (size_t i = 0; i < n; i++)
        proposals[i] = made(&c, options[i]);
    struct ks_value *lets;
    bool sides = ks_problem_sizes(&arena, c.brief.mark, 0, &lets) > 1;
    int held = host_run(&arena, &c, proposals, n, sides ? awkward_sides : awkward, N_AWKWARD, false, false, 0);
    if (held < least)
        fail_msg("%s: the guard held in %d cases only", c.brief.decl->name, held);
    host_nvcc(&arena, &c, proposals[n - 1], NULL);
    ks_arena_free(&arena);
}
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void saxpy_is_the_same(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256",         "block=64 items=4",
                                          "block=512 items=2 restrict=1", "width=4",
                                          "width=2 block=64",  "width=4 items=4 block=128",
                                          "width=4 stream=2",  "width=4 peel=1"};
    // Four need alignment and so hold for one of two skews.
    check(saxpy, options, COUNT(options), 4 * 16 + 4 * 8);
}

static void lookup_is_the_same(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256 items=8", "width=4", "width=8 stream=1"};
    check(lookup_, options, COUNT(options), 16 + 2 * 8);
}

static void grid_stride_is_the_same(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256", "block=128 items=4", "width=2",
                                          "width=4 items=2"};
    check(stride_, options, COUNT(options), 2 * 16 + 2 * 8);
}

static void unguarded_writes_no_more(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256 items=2", "width=4", "block=64 peel=1 width=4"};
    check(few, options, COUNT(options), 16);
}

static void stencils_are_the_same(void **state)
{
    (void)state;
    static const char *const options[] = {"block=64x4", "block=32x8 rows=4 restrict=1",
                                          "block=128x1 rows=8", "block=16x4 rows=2 bounds=2"};
    check(heat, options, COUNT(options), 4 * 16);
    check(interior, options, COUNT(options), 4 * 16);
}

static void copies_of_numbers_are_followed(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256", "block=64 items=4", "width=4"};
    static const char *const planes[] = {"block=64x4", "block=32x8 rows=4"};
    check(copies, options, COUNT(options), 2 * 16 + 8);
    check(plane, planes, COUNT(planes), 2 * 16);
}

static void names_of_types_are_read(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256", "block=128 items=4", "width=2"};
    check(named, options, COUNT(options), 2 * 16 + 8);
}

static void functions_of_numbers_are_read(void **state)
{
    (void)state;
    static const char *const options[] = {"block=64x4", "block=32x8 rows=4", "block=16x4 rows=2 restrict=1"};
    check(called, options, COUNT(options), 3 * 16);
}

static void blocks_are_numbered_through(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256", "block=64 items=4", "block=32 blocks=5", "width=4", "restrict=1"};
    check(through, options, COUNT(options), 4 * 16);
    check(written_out, options, COUNT(options), 4 * 16);
}

static void heads_of_branches_are_read(void **state)
{
    (void)state;
    static const char *const options[] = {"block=256", "block=128 items=4", "restrict=1", "bounds=1"};
    check(headed, options, COUNT(options), 4 * 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy_is_the_same),        cmocka_unit_test(lookup_is_the_same),
        cmocka_unit_test(grid_stride_is_the_same),  cmocka_unit_test(unguarded_writes_no_more),
        cmocka_unit_test(stencils_are_the_same),    cmocka_unit_test(copies_of_numbers_are_followed),
        cmocka_unit_test(names_of_types_are_read),  cmocka_unit_test(functions_of_numbers_are_read),
        cmocka_unit_test(blocks_are_numbered_through), cmocka_unit_test(heads_of_branches_are_read),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    host_clean();
    return failed;
}
