// Launches to capture on a GPU: pointers into the middle of allocations, two arrays in one, in-place and indexed
// access, scalars of several types, a struct by value. With a number: MiB of an allocation to capture for the figure.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

namespace ns {
template <class T> __global__ void gather(const int *at, const T *from, T *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[at[i]];
}
}

__global__ void count(unsigned *bins, const unsigned char *keys, long long n, unsigned char shift)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[keys[i] >> shift], 1u);
}

struct Pair {
    const float *a;
    int n; // and a hole
    float *b;
};

__global__ void pairs(Pair p)
{
    for (int i = threadIdx.x; i < p.n; i += blockDim.x)
        p.b[i] = p.a[i] + 1;
}

__global__ void touch(float *x)
{
    if (threadIdx.x == 0)
        x[blockIdx.x] += 1;
}

int main(int argc, char **argv)
{
    const int n = 100000;
    float *x, *pool;
    int *at;
    unsigned char *keys;
    cudaStream_t s;
    if (argc > 1) {
        if (cudaMalloc(&x, (size_t)atoi(argv[1]) << 20) != cudaSuccess)
            return 90;
        cudaMemset(x, 1, (size_t)atoi(argv[1]) << 20);
        touch<<<4, 32>>>(x);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    float *h = (float *)malloc(4 * n);
    int *hi = (int *)malloc(4 * n);
    for (int i = 0; i < n; i++) {
        h[i] = (float)(i % 977) * 0.125f - 60;
        hi[i] = (int)((i * 7919LL) % n);
    }
    cudaStreamCreate(&s);
    cudaMalloc(&x, 4 * n);
    cudaMalloc(&pool, 4 * 4 * n);
    cudaMalloc(&at, 4 * n);
    cudaMalloc(&keys, n);
    cudaMemcpy(x, h, 4 * n, cudaMemcpyHostToDevice);
    cudaMemcpy(at, hi, 4 * n, cudaMemcpyHostToDevice);
    cudaMemcpy(keys, h, n, cudaMemcpyHostToDevice);
    cudaMemset(pool, 0, 4 * 4 * n);
    float *y = pool + 64, *z = pool + n + 128; // three places of one allocation
    unsigned *bins = (unsigned *)(pool + 3 * n);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++)
        scale<<<(n + 255) / 256, 256, 0, s>>>(y, x, 1.5f, n);
    scale<<<(n + 255) / 256, 256, 0, s>>>(z, z, 0.5f, n); // in place
    ns::gather<float><<<(n + 127) / 128, 128, 0, s>>>(at, x, z, n);
    count<<<(n + 255) / 256, 256, 0, s>>>(bins, keys, n, 3);
    cudaStreamSynchronize(s);
    Pair p;
    memset(&p, 0x5a, sizeof p);
    p.a = x, p.n = 1000, p.b = z;
    pairs<<<1, 64>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 91;
    cudaMemcpy(h, y, 4 * n, cudaMemcpyDeviceToHost);
    cudaMemcpy(hi, bins, 128, cudaMemcpyDeviceToHost);
    double sum = 0;
    long total = 0;
    for (int i = 0; i < n; i++)
        sum += h[i];
    for (int i = 0; i < 32; i++)
        total += hi[i];
    printf("sum %.3f, %ld keys\n", sum, total);
    return 0;
}
