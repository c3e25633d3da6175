// Launches whose shapes follow rules, or do not, on the fake driver; the kernels of test_clauses.sh.
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

static const size_t offsets[] = {0, 8, 16, 20, 24, 28}, sizes[] = {8, 8, 4, 4, 4, 4};

static void *memory(size_t n)
{
    CUdeviceptr at = 0;
    if (cuMemAlloc_v2(&at, n) != CUDA_SUCCESS)
        exit(91);
    return (void *)(uintptr_t)at;
}

static float *floats(size_t n, int kind)
{
    float *at = memory(4 * n);
    uint64_t state = n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 12; k++) { // the sum of twelve is nearly normal
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            sum += (double)(state >> 40) / (1 << 24);
        }
        at[i] = kind == 0 ? 0 : kind == 1 ? (float)(state >> 40) / (1 << 24) : (float)(sum - 6);
    }
    return at;
}

static void launch(const char *name, size_t n, unsigned gx, unsigned gy, unsigned bx, unsigned by, void **args)
{
    CUfunction f = fake_cuda_function(name, offsets, sizes, n, NULL);
    if (cuLaunchKernel(f, gx, gy, 1, bx, by, 1, 0, NULL, args, NULL) != CUDA_SUCCESS)
        exit(90);
}

static void saxpy(int n)
{
    float *y = floats((size_t)n, 0), *x = floats((size_t)n, 1), a = 0.5f;
    launch("_Z5saxpyPfPKffi", 4, (unsigned)(n + 255) / 256, 1, 256, 1, (void *[]){&y, &x, &a, &n});
}

static void matrix(const char *name, int rows, int cols)
{
    float *out = floats((size_t)rows * (size_t)cols, 0), *in = floats((size_t)rows * (size_t)cols, 2);
    launch(name, 4, (unsigned)(cols + 31) / 32, (unsigned)(rows + 7) / 8, 32, 8, (void *[]){&out, &in, &rows, &cols});
}

int main(void)
{
    int n = 5000, ld = 4096, mode = 2;
    if (cuInit(0) != CUDA_SUCCESS)
        return 99;
    saxpy(1000);
    saxpy(3072);
    matrix("_Z6matrixPfPKfii", 100, 300);
    matrix("_Z6squarePfPKfii", 64, 64);
    float *y = floats((size_t)n, 0), *x = floats((size_t)n, 1);
    int *at = memory(4 * (size_t)n), *order = memory(4 * (size_t)n);
    for (int i = 0; i < n; i++)
        at[i] = i * 7 % 100, order[i] = i * 7 % n;
    launch("_Z6gatherPfPKii", 3, 20, 1, 256, 1, (void *[]){&y, &at, &n});
    launch("_Z7shufflePfPKii", 3, 20, 1, 256, 1, (void *[]){&y, &order, &n});
    launch("_Z6stridePfPKfii", 4, 20, 1, 256, 1, (void *[]){&y, &x, &n, &ld});
    launch("_Z6chosenPfPKfii", 4, 5, 1, 256, 1, (void *[]){&y, &x, &n, &mode}); // four elements a thread
    unsigned char *keys = memory((size_t)n);
    unsigned *bins = memory(128);
    memset(bins, 0, 128);
    for (int i = 0; i < n; i++)
        keys[i] = (unsigned char)(i * 31);
    launch("_Z5countPjPKhi", 3, 20, 1, 256, 1, (void *[]){&bins, &keys, &n});
    int n_bins = 32;
    launch("_Z6tablesPjPKhii", 4, 20, 1, 256, 1, (void *[]){&bins, &keys, &n, &n_bins});
    float *half = x + n / 2; // to the end of it
    int m = n / 2;
    long a = 1;
    launch("_Z5halvePfli", 3, 10, 1, 256, 1, (void *[]){&half, &a, &m});
    launch("_Z5loopsPfPKfi", 3, 7, 1, 256, 1, (void *[]){&y, &x, &n}); // a grid of its own
    return 0;
}
