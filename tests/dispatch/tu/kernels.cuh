#pragma once
#include <cuda_runtime.h>

struct Pair {
    int a;
    float b;
    long long c;
};
namespace head {
template <class T> __global__ void twice(T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = y[i] * T(2);
}
}
__global__ void scale(float *y, const float *x, float a, int n);
extern "C" __global__ void cneg(float *y, int n);
namespace outer {
__global__ void sum(const float *x, float *out, int n);
}
void launch_twice_here(float *y, int n);
void launch_twice_there(float *y, int n);
void launch_internal(float *y, int n, cudaStream_t stream);
void launch_big(float *y, int n, int kb);
void launch_odd(float *y, unsigned long long n);
void launch_pair(float *y, Pair p);
void launch_lambda(float *y, int n);
void launch_none(float *y);
