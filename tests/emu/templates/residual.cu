// Sums of rows that are kept and normalised, as layers of a transformer have them. For templates_rows.sh.
#include <cuda_fp16.h>

#pragma ks optimize
#pragma ks workload let(rows=7) let(n=200) inout(res[rows*n]) in(x[rows*n]) in(g[n]) out(y[rows*n]) grid(rows) block(64)
__global__ void kept_sum(float *res, const float *x, const float *g, float *y, int n)
{
    __shared__ float share[2];
    float sum = 0;
    size_t row = (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += 64) {
        float v = res[row + i] + x[row + i];
        res[row + i] = v;
        sum += v * v;
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        share[threadIdx.x / 32] = sum;
    __syncthreads();
    float by = rsqrtf((share[0] + share[1]) / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 64)
        y[row + i] = res[row + i] * by * g[i];
}

// In place, of halves that are added as such.
#pragma ks optimize
#pragma ks workload let(rows=7) let(n=515) set(eps=1e-6) inout(input[rows*n]) inout(res[rows*n]) in(g[n]) grid(rows) block(128)
__global__ void in_place(__half *input, __half *res, const __half *g, float eps, int n)
{
    __shared__ float total;
    float sum = 0;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        __half v = __hadd(input[blockIdx.x * n + i], res[blockIdx.x * n + i]);
        sum += __half2float(v) * __half2float(v);
        res[blockIdx.x * n + i] = v;
    }
    atomicAdd(&total, sum);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        input[blockIdx.x * n + i] = __float2half(__half2float(res[blockIdx.x * n + i]) * rsqrtf(total / n + eps) * __half2float(g[i]));
}

// The sum is not what is normalised.
#pragma ks optimize
#pragma ks workload let(rows=7) let(n=200) inout(res[rows*n]) in(x[rows*n]) in(g[n]) out(y[rows*n]) grid(rows) block(32)
__global__ void of_the_new(float *res, const float *x, const float *g, float *y, int n)
{
    float sum = 0;
    size_t row = (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += 32) {
        res[row + i] += x[row + i];
        sum += x[row + i] * x[row + i];
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = rsqrtf(sum / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[row + i] = res[row + i] * by * g[i];
}
