// Launches from outside the substituted units, and what each launch must have reached.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "../mock_cudart.h"
#include "kernels.cuh"

static int failures, checks;
static void expect(bool ok, const char *what, int line)
{
    checks++;
    if (ok)
        return;
    failures++;
    printf("main.cu:%d: FAILED: %s; launched:", line, what);
    for (int i = 0; i < mock_n; i++)
        printf(" %s", mock_log[i].name);
    printf("\n");
}
#define EXPECT(ok) expect(ok, #ok, __LINE__)

// Whether event i is a launch of a variant's kernel of that name / of no variant.
static bool variant(int i, const char *kernel)
{
    const char *name = mock_log[i].name, *at = name ? strstr(name, "ks_") : 0;
    char mangled[64];
    snprintf(mangled, sizeof mangled, "%zu%s", strlen(kernel), kernel);
    return i < mock_n && at && strstr(at, mangled);
}
static bool original(int i, const char *kernel)
{
    return i < mock_n && strstr(mock_log[i].name, kernel) && !strstr(mock_log[i].name, "ks_");
}
static bool event(int i, const char *name)
{
    return i < mock_n && strcmp(mock_log[i].name, name) == 0;
}
#define ONE_VARIANT(kernel) EXPECT(mock_n == 1 && variant(0, kernel)); mock_reset()
#define ONE_ORIGINAL(kernel) EXPECT(mock_n == 1 && original(0, kernel)); mock_reset()

static float *const x = (float *)0x8000, *const y = (float *)0x400000;
static cudaStream_t const stream = (cudaStream_t)0x5;

static void guard()
{
    const int n = 1024;
    scale<<<4, 256, 0, stream>>>(y, x, 2.f, n);
    EXPECT(variant(0, "scale4") && mock_log[0].grid.x == 2 && mock_log[0].block.x == 128);
    EXPECT(mock_log[0].shared == 2048 && mock_log[0].stream == stream && mock_log[0].n_args == 4);
    EXPECT(mock_log[0].args[0] == (size_t)y && mock_log[0].args[1] == (size_t)x);
    EXPECT((unsigned)mock_log[0].args[3] == 1024);
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    EXPECT(strcmp(mock_log[0].api, "__cudaLaunchKernel_ptsz") == 0);
#else
    EXPECT(strcmp(mock_log[0].api, "__cudaLaunchKernel") == 0);
#endif
    ONE_VARIANT("scale4");
    void (*pointer)(float *, const float *, float, int) = scale;
    pointer<<<4, 256>>>(y, x, 2.f, n);
    ONE_VARIANT("scale4");
    scale<<<4, 256>>>(y, x, 2.f, n - 1);   // n % 4
    ONE_ORIGINAL("scale");
    scale<<<4, 256>>>(y, x + 1, 2.f, n);   // alignment
    ONE_ORIGINAL("scale");
    scale<<<1, 256>>>(y, x, 2.f, n);       // grid too small
    ONE_ORIGINAL("scale");
    scale<<<4, 256>>>(y, y + 8, 2.f, n);   // overlap
    ONE_ORIGINAL("scale");
    scale<<<1, 1>>>(y, x, 2.f, 0);         // outside the domain, though inside the guard
    ONE_ORIGINAL("scale");
    scale<<<8193, 256>>>(y, x, 2.f, 2 << 20);
    ONE_ORIGINAL("scale");
    cneg<<<1, 1>>>(y, 7);                  // division by zero in the second guard
    ONE_ORIGINAL("cneg");
    cneg<<<1, 1>>>(y, 100);                // first match wins
    EXPECT(mock_log[0].block.x == 100);
    ONE_VARIANT("neg");
    cneg<<<1, 1>>>(y, 101);                // second variant, arguments converted to their types
    EXPECT(mock_log[0].block.x == 32 && mock_log[0].args[1] == 101);
    EXPECT((mock_log[0].args[2] & 0xff) == 1);
    float f;
    memcpy(&f, &mock_log[0].args[3], sizeof f);
    EXPECT(f == 102.f);
    ONE_VARIANT("neg");
    cneg<<<1, 1>>>(y, 1 << 24);            // n + 1 is no exact float: refused
    ONE_ORIGINAL("cneg");
    cneg<<<0, 1>>>(y, 100);                // the original's own mistakes stay its own
    ONE_ORIGINAL("cneg");
    cneg<<<1, 2048>>>(y, 100);
    ONE_ORIGINAL("cneg");
    launch_odd(y, 4);
    ONE_VARIANT("even");
    launch_odd(y, 3);
    ONE_ORIGINAL("odd");
    launch_odd(y, 1ull << 63);             // does not fit the expressions' integers
    ONE_ORIGINAL("odd");
    Pair p = {3, 4.f, 5};
    launch_pair(y, p);
    EXPECT((unsigned)mock_log[0].args[1] == 3);
    ONE_VARIANT("set");
}

static void linkage()
{
    launch_internal(y, 1000, stream);
    EXPECT(mock_n == 4 && variant(0, "fill1") && original(1, "fill") && variant(2, "one"));
    EXPECT(variant(3, "one") && mock_log[2].block.x == 32 && mock_log[3].block.x == 64);
    mock_reset();
    launch_lambda(y, 10);
    ONE_VARIANT("local");
    launch_none(y);
    ONE_ORIGINAL("none");
    launch_twice_here(y, 100);             // kernel of a header, in two units with a table each
    ONE_VARIANT("quick");
    launch_twice_there(y, 100);
    ONE_VARIANT("quick");
    launch_twice_there(y, 2000);
    ONE_ORIGINAL("twice");
}

static void other_apis()
{
    float a = 1.f, *py = y, *px = x;
    int n = 1024;
    void *args[] = {&py, &px, &a, &n};
    cudaLaunchKernel((const void *)scale, dim3(4), dim3(256), args, 0, stream);
    ONE_ORIGINAL("scale");
    cudaLaunchCooperativeKernel((const void *)scale, dim3(4), dim3(256), args, 0, stream);
    ONE_ORIGINAL("scale");
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(256);
    cudaLaunchKernelEx(&config, scale, py, (const float *)px, 1.f, 1024);
    ONE_ORIGINAL("scale");
}

static void plan()
{
    outer::sum<<<1, 1, 0, stream>>>(x, y, 3000);
    EXPECT(mock_n == 5 && event(0, "malloc") && event(1, "memset") && variant(2, "part"));
    EXPECT(variant(3, "last") && event(4, "free") && mock_log[4].stream == stream);
    EXPECT(mock_log[0].bytes == 3072 + 256 && mock_log[0].stream == stream);
    EXPECT(mock_log[1].bytes == 3000 && mock_log[1].value == 7 && mock_log[1].args[0] == 0);
    EXPECT(mock_log[2].grid.x == 3 && mock_log[2].args[1] - mock_log[2].args[2] == 3072);
    EXPECT((mock_log[2].args[4] & 0xffff) == 1500 && mock_log[3].args[0] == mock_log[2].args[1]);
    mock_reset();
    outer::sum<<<1, 1>>>(x, y, 70000);     // n / 2 does not fit a short: nothing was begun
    ONE_ORIGINAL("sum");
    outer::sum<<<1, 1>>>(x, y, -1);
    ONE_ORIGINAL("sum");
    mock_fail_malloc = 1;
    outer::sum<<<1, 1>>>(x, y, 3000);
    EXPECT(mock_last_error == 0);          // ours was cleared
    ONE_ORIGINAL("sum");
    mock_capturing = 1;
    outer::sum<<<1, 1>>>(x, y, 3000);
    ONE_ORIGINAL("sum");
    mock_capturing = 1;                    // one step without workspace is captured
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    ONE_VARIANT("scale4");
    mock_fail_launch = 1;                  // the plan's first launch: the original runs
    outer::sum<<<1, 1>>>(x, y, 3000);
    EXPECT(mock_n == 4 && event(2, "free") && original(3, "sum") && mock_last_error == 0);
    mock_reset();
    mock_fail_launch = 2;                  // its second: no way back, the application is told
    outer::sum<<<1, 1>>>(x, y, 3000);
    EXPECT(mock_n == 4 && variant(2, "part") && event(3, "free") && mock_last_error == 719);
    mock_reset();
    mock_fail_launch = 1;                  // a single step
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    EXPECT(mock_last_error == 0);
    ONE_ORIGINAL("scale");
}

static void errors()
{
    mock_last_error = 2;                   // the application's own
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    EXPECT(mock_last_error == 2);
    ONE_ORIGINAL("scale");
    mock_fail_device = 1;
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    EXPECT(mock_last_error == 0);
    ONE_ORIGINAL("scale");
}

static void shared()
{
    launch_big(y, 1, 48);
    EXPECT(mock_attribute_sets == 0);
    ONE_VARIANT("large");
    mock_fail_attribute = 1;
    launch_big(y, 1, 100);
    EXPECT(mock_attribute_sets == 1 && mock_last_error == 0);
    ONE_ORIGINAL("big");
    launch_big(y, 1, 228);                 // beyond what the device has
    ONE_ORIGINAL("big");
    launch_big(y, 1, 100);
    EXPECT(mock_log[0].shared == 102400 && mock_attribute_sets == 1);
    launch_big(y, 1, 200);                 // the attribute was set once, to the most
    EXPECT(mock_attribute_sets == 1 && mock_n == 2 && variant(1, "large"));
    mock_reset();
    launch_big(y, 0, 1);                   // an empty grid
    ONE_ORIGINAL("big");
    launch_big(y, -5, 1);
    ONE_ORIGINAL("big");
    launch_big(y, 1, -1);
    ONE_ORIGINAL("big");
}

static void architectures()
{
    cudaSetDevice(1);                      // sm_80: only scale has a variant there
    scale<<<4, 256>>>(y, x, 2.f, 1023);
    ONE_VARIANT("scale_80");
    cneg<<<1, 1>>>(y, 100);
    ONE_ORIGINAL("cneg");
    mock_ptx_version = 75;                 // a launch that fails forgets what was known
    mock_fail_launch = 1;
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    mock_n = 0;
    scale<<<4, 256>>>(y, x, 2.f, 1024);    // this device would run code of another architecture
    ONE_ORIGINAL("scale");
    cudaSetDevice(0);
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    ONE_VARIANT("scale4");
}

// What a launch asks of the runtime once all is known: where devices differ, whether an error is
// pending and which device is the current one; where they are alike, only the first; and nothing
// when the guard sends it to the original.
static void calls(int asked)
{
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    mock_reset();
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    EXPECT(mock_launches == 1 && mock_other_calls <= asked);
    ONE_VARIANT("scale4");
    cneg<<<1, 1>>>(y, 7);
    EXPECT(mock_launches == 1 && mock_other_calls == 0);
    ONE_ORIGINAL("cneg");
    launch_none(y);                        // no entry
    EXPECT(mock_launches == 1 && mock_other_calls == 0);
    ONE_ORIGINAL("none");
    outer::sum<<<1, 1>>>(x, y, 3000);
    mock_reset();
    outer::sum<<<1, 1>>>(x, y, 3000);      // capture, allocate, set, free besides
    EXPECT(mock_launches == 2 && mock_other_calls <= asked + 4 && variant(3, "last"));
    mock_reset();
}

// Two devices of one architecture: from the first launch on.
static void alike()
{
    mock_capability[1] = 90;
    mock_last_error = 2;
    scale<<<4, 256>>>(y, x, 2.f, 1024);    // each of two variants looks at it, and asks no more
    EXPECT(mock_last_error == 2 && mock_other_calls == 2);
    ONE_ORIGINAL("scale");
    mock_fail_device = 1;
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    EXPECT(mock_last_error == 0);
    ONE_ORIGINAL("scale");
    calls(1);
    launch_big(y, 1, 100);
    EXPECT(mock_attribute_sets == 1 && variant(0, "large"));
    cudaSetDevice(1);
    calls(1);
    launch_big(y, 1, 100);                 // an attribute is set on each device
    EXPECT(mock_attribute_sets == 1 && variant(0, "large"));
    mock_fail_launch = 1;                  // forgets it on this device only
    launch_big(y, 1, 100);
    EXPECT(mock_attribute_sets == 1 && mock_last_error == 0 && original(1, "big"));
    launch_big(y, 1, 100);
    EXPECT(mock_attribute_sets == 2 && mock_n == 3 && variant(2, "large"));
    cudaSetDevice(0);
    launch_big(y, 1, 100);
    EXPECT(mock_attribute_sets == 2 && mock_n == 4 && variant(3, "large"));
}

// One device, which nobody needs to name, not even for its shared memory.
static void single()
{
    mock_devices = 1;
    mock_fail_device = 1;
    scale<<<4, 256>>>(y, x, 2.f, 1024);    // no count: the original, and asked again later
    EXPECT(mock_last_error == 0);
    ONE_ORIGINAL("scale");
    calls(1);
    launch_big(y, 1, 100);
    mock_reset();
    launch_big(y, 1, 100);
    EXPECT(mock_other_calls <= 1);
    ONE_VARIANT("large");
    mock_ptx_version = 75;                 // as on two devices
    mock_fail_launch = 1;
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    mock_n = 0;
    scale<<<4, 256>>>(y, x, 2.f, 1024);
    ONE_ORIGINAL("scale");
}

int main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "alike") == 0 || strcmp(argv[1], "single") == 0)) {
        strcmp(argv[1], "alike") == 0 ? alike() : single();
        printf("%s: %d checks, %d failed\n", argv[1], checks, failures);
        return failures != 0 || checks < 10;
    }
    if (argc > 1 && strcmp(argv[1], "off") == 0) {
        scale<<<4, 256>>>(y, x, 2.f, 1024);
        ONE_ORIGINAL("scale");
        return failures != 0;
    }
    if (argc > 1 && strcmp(argv[1], "traced") == 0) {
        scale<<<4, 256>>>(y, x, 2.f, 1024);
        scale<<<4, 256>>>(y, x, 2.f, 1023);
        mock_last_error = 1;
        scale<<<4, 256>>>(y, x, 2.f, 1024);
        mock_last_error = 0;
        mock_capturing = 1;
        outer::sum<<<1, 1>>>(x, y, 3000);
        mock_capturing = 0;
        mock_fail_malloc = 1;
        outer::sum<<<1, 1>>>(x, y, 3000);
        launch_none(y);
        cudaSetDevice(1);
        cneg<<<1, 1>>>(y, 100);
        return 0;
    }
    mock_reset();
    guard();
    linkage();
    other_apis();
    plan();
    errors();
    shared();
    architectures();
    calls(2);
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0 || checks < 60;
}
