#pragma once
#include <cassert>
namespace other {
__global__ void before(int *p, int n)
{
    assert(p != nullptr);
    for (int i = 0; i < n; i++)
        if (p[i] > 3) p[i] -= __float2int_rn(sinf(p[i]));
}
namespace {
__device__ __noinline__ float shrink(float v, int count) { float sum = 0; for (int k = 0; k < count; k++) sum += v * k * sum; return sum; }
}

/* the same code as base.cu's kernel: other file, names, layout, comments, neighbours */
namespace {
template <class T> __global__ void __launch_bounds__(128)
mix(T *data, int n)
{
    static __constant__ float levels[4] = {1.f, 2.f, 4.f, 8.f};
    __shared__ float buffer[128]; extern __shared__ float rest[];
    assert(n > 0);
    buffer[threadIdx.x] = data[threadIdx.x]; // load
    rest[threadIdx.x] = 1.0f;
    __syncthreads();
    if (n > 7) { data[n] = shrink(buffer[threadIdx.x ^ 1], n) + levels[n & 3] + rest[n]; }
}
}
__global__ void second_caller(float *y) { y[0] = shrink(y[1], 5); }
}
