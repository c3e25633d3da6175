// A program whose launches are captured, on the fake driver: the kernels of test_capture.sh, as C functions.
//   capture_app [HOW]     stuck: also one on a stream that is never done; limit: files may not be large; contexts:
//                         launches of two by turns, then of one more under the first one's handle; dies: within a launch
#include <cuda.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fake_cuda.h"

#define ARG(type, i) (*(type *)args[i])

// scale(float *y, const float *x, float a, int n)
static void scale(void **args)
{
    for (int i = 0; i < ARG(int, 3); i++)
        ARG(float *, 0)[i] = ARG(float, 2) * ARG(const float *, 1)[i];
}

// gather(const int *at, const float *from, float *to, int n)
static void gather(void **args)
{
    for (int i = 0; i < ARG(int, 3); i++)
        ARG(float *, 2)[i] += ARG(const float *, 1)[ARG(const int *, 0)[i] - 600];
}

struct pair {
    const float *a;
    int n; // and four bytes of nothing
    float *b;
};

// pairs(pair p, float s)
static void pairs(void **args)
{
    const struct pair *p = args[0];
    for (int i = 0; i < p->n; i++)
        p->b[i] += ARG(float, 1) * p->a[i];
}

struct box { // box<float>
    float *at;
    long n;
    float *same;
};

// boxed(box<float> v)
static void boxed(void **args)
{
    const struct box *v = args[0];
    for (long i = 0; i < v->n; i++)
        v->at[i] = 2 * v->same[i] + 1;
}

static void launch(CUfunction f, unsigned grid, uintptr_t stream, void **args)
{
    if (cuLaunchKernel(f, grid, 1, 1, 128, 1, 1, 0, (CUstream)stream, args, NULL) != CUDA_SUCCESS) // NOLINT
        exit(90);
}

static float *memory(size_t n)
{
    CUdeviceptr at = 0;
    if (cuMemAlloc_v2(&at, n) != CUDA_SUCCESS)
        exit(91);
    memset((void *)(uintptr_t)at, 0, n);
    return (float *)(uintptr_t)at;
}

// Ends the program while a launch of it is being captured.
static void dies(void **args)
{
    (void)args;
    raise(SIGKILL);
}

// Twelve launches in each of two contexts, which by turns are current; then one context is another.
static void in_contexts(float *y, float *x)
{
    static const char *const names[] = {"_Z3onePfPKffi", "_Z3twoPfPKffi", "_Z5threePfPKffi", "_Z4fourPfPKffi"};
    static const size_t offsets[] = {0, 8, 16, 20}, sizes[] = {8, 8, 4, 4};
    float a = 1;
    for (int i = 0; i < 4; i++) {
        CUfunction f = fake_cuda_function(names[i], offsets, sizes, 4, scale);
        for (int n = 1; n <= 4; n++) {
            if (i == 3 && n == 4)
                cuCtxDestroy_v2((CUcontext)(uintptr_t)2); // NOLINT
            cuCtxSetCurrent((CUcontext)(uintptr_t)(1 + n % 2 + (i == 3 && n == 4))); // NOLINT
            void *args[] = {&y, &x, &a, &n};
            launch(f, (unsigned)n, 7, args);
        }
    }
    cuCtxSetCurrent(NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    static const size_t offsets[] = {0, 8, 16, 20}, sizes[] = {8, 8, 4, 4};
    static const size_t offsets_g[] = {0, 8, 16, 24}, sizes_g[] = {8, 8, 8, 4};
    static const size_t offsets_p[] = {0, 24}, sizes_p[] = {24, 4};
    if (cuInit(0) != CUDA_SUCCESS)
        return 99;
    CUfunction f = fake_cuda_function("_Z5scalePfPKffi", offsets, sizes, 4, scale);
    CUfunction g = fake_cuda_function("_ZN2ns6gatherIfEEvPKiPKT_PS3_i", offsets_g, sizes_g, 4, gather);
    CUfunction h = fake_cuda_function("_Z5pairs4pairf", offsets_p, sizes_p, 2, pairs);
    CUfunction b = fake_cuda_function("_Z5boxedIfEv3boxIT_E", offsets_p, sizes_p, 1, boxed);
    int n = 1000, more = 300;
    float a = 2.5f, *x = memory(4096), *pool = memory(16384);
    float *y = pool + 1024, *z = pool + 2048; // three arrays of one allocation
    int *at = (int *)memory(4000);
    for (int i = 0; i < n; i++) {
        x[i] = (float)i * 0.25f - 100;
        at[i] = (i * 37) % 500 + 607;
    }
    if (strcmp(how, "limit") == 0) {
        struct rlimit limit = {16384, 16384};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (strcmp(how, "contexts") == 0)
        in_contexts(y, x);
    void *first[] = {&y, &x, &a, &n}, *second[] = {&y, &x, &a, &more}, *alike[] = {&x, &x, &a, &n};
    launch(f, 8, 7, first);
    launch(f, 8, 7, first);     // of the same class
    launch(f, 3, 7, second);
    launch(f, 3, 99, second);   // into a graph
    launch(f, 8, 7, alike);     // in place
    void *gathered[] = {&at, &x, &z, &n};
    launch(g, 8, 7, gathered);
    struct pair pair;
    memset(&pair, 0x5a, sizeof pair);
    pair.a = x, pair.n = n, pair.b = z;
    void *by_value[] = {&pair, &a};
    launch(h, 1, 7, by_value);
    struct box box = {z, n, z};
    void *in_box[] = {&box};
    launch(b, 1, 7, in_box);
    if (strcmp(how, "stuck") == 0)
        launch(f, 5, 97, first);
    if (strcmp(how, "dies") == 0)
        launch(fake_cuda_function("_ZN4dies5scaleEPfPKffi", offsets, sizes, 4, dies), 5, 7, first);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)y[i] + (double)z[i] + (double)x[i];
    printf("sum %.6f\n", sum);
    return 0;
}
