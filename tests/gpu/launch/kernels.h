#pragma once
#include <cuda_runtime.h>
__global__ void scale(float *y, const float *x, float a, int n);
__global__ void sum(const float *x, float *out, int n);
extern "C" __global__ void cneg(float *y, int n);
__global__ void reverse(float *y, const float *x, int n);
void launch_fill(float *y, float v, int n, cudaStream_t stream);
