#include "near.cuh"

__constant__ float factor[2] = {1, 2};

__global__ void fill(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = near(i) * factor[i & 1];
}

void run(float *x, int n) { fill<<<(n + 255) / 256, 256>>>(x, n); }
