// Rows by their lengths, with what keeps these from zero or without, for templates_rows.sh.
#include <cuda_bf16.h>

#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void at_least(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = 1.0f / fmaxf(sqrtf(sum), 1e-12f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void squares_at_least(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = rsqrtf(fmaxf(sum, 1e-12f));
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void added(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = 1.0f / (sqrtf(sum) + 1e-6f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void added_to_squares(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = rsqrtf(sum + 1e-8f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void alone(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = rsqrtf(sum);
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
// Of zeros alone other things come.
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void zero_for_zero(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = sum > 0 ? rsqrtf(sum) : 0.0f;
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void one_for_few(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = sum > 1e-20f ? rsqrtf(sum) : 1.0f;
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
// Of a number whose square is none small runs say nothing.
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void farther(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = 1.0f / fmaxf(sqrtf(sum), 1e-18f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,4)) block(32,4)
__global__ void at_most(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[r * n + i] * x[r * n + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float by = 1.0f / fminf(sqrtf(sum), 1e-3f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[r * n + i] = x[r * n + i] * by;
}

// An epsilon that is a parameter, and bf16.
#pragma ks optimize
#pragma ks workload let(rows=9) let(n=300) set(eps=1e-6) in(x[rows*n]) out(y[rows*n]) grid(rows) block(64)
__global__ void given(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n, float eps)
{
    __shared__ float share[2];
    const __nv_bfloat16 *row = x + (size_t)blockIdx.x * n;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 64)
        sum += __bfloat162float(row[i]) * __bfloat162float(row[i]);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        share[threadIdx.x / 32] = sum;
    __syncthreads();
    float length = fmaxf(sqrtf(share[0] + share[1]), eps);
    for (int i = threadIdx.x; i < n; i += 64)
        y[(size_t)blockIdx.x * n + i] = __float2bfloat16(__bfloat162float(row[i]) / length);
}
