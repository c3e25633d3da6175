// Kernels whose arrays are of short vectors, for templates_rows.sh.
#include <cuda_fp16.h>

#pragma ks optimize
#pragma ks workload let(rows=5) let(n4=48) in(x[rows*n4]) in(g[n4]) out(y[rows*n4]) grid(rows) block(64)
__global__ void root_mean_square(const float4 *x, const float4 *g, float4 *y, int n4)
{
    __shared__ float share[2];
    const float4 *row = x + (size_t)blockIdx.x * n4;
    float sum = 0;
    for (int i = threadIdx.x; i < n4; i += 64) {
        float4 v = row[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        share[threadIdx.x / 32] = sum;
    __syncthreads();
    float by = rsqrtf((share[0] + share[1]) / (4 * n4) + 1e-6f);
    for (int i = threadIdx.x; i < n4; i += 64) {
        float4 v = row[i], w = g[i];
        y[(size_t)blockIdx.x * n4 + i] = make_float4(v.x * by * w.x, v.y * by * w.y, v.z * by * w.z, v.w * by * w.w);
    }
}

// Of a number of elements.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=96) in(w[m*(k/2)]) in(x[k/2]) out(y[m]) grid(m) block(32)
__global__ void row_times_vector(const half2 *w, const half2 *x, half *y, int k)
{
    float sum = 0;
    for (int l = threadIdx.x; l < k / 2; l += 32) {
        float2 a = __half22float2(w[blockIdx.x * (k / 2) + l]), b = __half22float2(x[l]);
        sum += a.x * b.x + a.y * b.y;
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        y[blockIdx.x] = __float2half(sum);
}

#pragma ks optimize
#pragma ks workload let(rows=7) let(n4=40) in(x[rows*n4]) out(y[rows*n4]) grid(rows) block(32)
__global__ void softmax(const float4 *x, float4 *y, int n4)
{
    const float4 *row = x + (size_t)blockIdx.x * n4;
    float top = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n4; i += 32)
        top = fmaxf(top, fmaxf(fmaxf(row[i].x, row[i].y), fmaxf(row[i].z, row[i].w)));
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    for (int i = threadIdx.x; i < n4; i += 32)
        sum += expf(row[i].x - top) + expf(row[i].y - top) + expf(row[i].z - top) + expf(row[i].w - top);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    for (int i = threadIdx.x; i < n4; i += 32)
        y[(size_t)blockIdx.x * n4 + i] = make_float4(expf(row[i].x - top) / sum, expf(row[i].y - top) / sum, expf(row[i].z - top) / sum, expf(row[i].w - top) / sum);
}

// Three coordinates, of which one is left out.
#pragma ks optimize
#pragma ks workload let(rows=7) let(n=40) in(x[rows*n]) out(y[rows]) grid(rows) block(32)
__global__ void two_of_three(const float3 *x, float *y, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[blockIdx.x * n + i].x + x[blockIdx.x * n + i].z;
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}
