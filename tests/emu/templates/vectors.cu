// Products of a matrix of halves and a vector, for templates_halves.sh.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// A thread a row.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=45) in(w[m*k]) in(x[k]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void by_thread(const __half *w, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(w[i * k + l]) * x[l];
    y[i] = sum;
}

// A warp a row, all of halves, with a bias and what limits it.
#pragma ks optimize
#pragma ks workload let(m=19) let(k=168) in(w[m*k]) in(x[k]) in(bias[m]) out(y[m]) grid(ceildiv(m,4)) block(32,4)
__global__ void by_warp(const __nv_bfloat16 *w, const __nv_bfloat16 *x, const __nv_bfloat16 *bias, __nv_bfloat16 *y, int m, int k)
{
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 32)
        sum += __bfloat162float(w[i * k + l]) * __bfloat162float(x[l]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        y[i] = __float2bfloat16(fmaxf(sum + __bfloat162float(bias[i]), 0.0f));
}

// A block a row, elements by twos: of an odd depth the last is left out.
#pragma ks optimize
#pragma ks workload let(m=21) let(k=152) set(alpha=0.75) in(w[m*k]) in(x[k]) out(y[m]) grid(m) block(64)
__global__ void by_block(const __half *w, const __half *x, __half *y, float alpha, int k)
{
    __shared__ float part[64];
    const __half2 *row = reinterpret_cast<const __half2 *>(w + (size_t)blockIdx.x * k), *pairs = reinterpret_cast<const __half2 *>(x);
    float sum = 0;
    for (int l = threadIdx.x; l < k / 2; l += 64) {
        float2 a = __half22float2(row[l]), b = __half22float2(pairs[l]);
        sum += a.x * b.x + a.y * b.y;
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = __float2half(alpha * part[0]);
}

// Eight halves a load, and the warp's sum from a function.
__device__ __forceinline__ float of_warp(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

#pragma ks optimize
#pragma ks workload let(m=18) let(k=256) in(w[m*k]) in(x[k]) out(y[m]) grid(ceildiv(m,2)) block(32,2)
__global__ void by_eights(const __half *w, const float *x, __half *y, int m, int k)
{
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = threadIdx.x * 8; l < k; l += 256) {
        uint4 pack = *reinterpret_cast<const uint4 *>(w + (size_t)i * k + l);
        const __half2 *pairs = reinterpret_cast<const __half2 *>(&pack);
        for (int j = 0; j < 4; j++) {
            float2 v = __half22float2(pairs[j]);
            sum += v.x * x[l + 2 * j] + v.y * x[l + 2 * j + 1];
        }
    }
    sum = of_warp(sum);
    if (threadIdx.x == 0)
        y[i] = __float2half(sum);
}

// Weights of rows: a sum of rows of the matrix.
#pragma ks optimize
#pragma ks workload let(n=264) let(k=45) in(p[k]) in(v[k*n]) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void by_column(const float *p, const __nv_bfloat16 *v, __nv_bfloat16 *y, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += p[l] * __bfloat162float(v[l * n + j]);
    y[j] = __float2bfloat16_rn(sum);
}

// Added to what is there.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=40) in(w[m*k]) in(x[k]) inout(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void added(const __half *w, const __half *x, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(w[i * k + l]) * __half2float(x[l]);
    y[i] += sum;
}

#pragma ks optimize
#pragma ks workload let(n=70) let(k=45) set(alpha=1.5) set(beta=0.5) in(w[k*n]) in(x[k]) inout(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void updated(const __half *w, const float *x, __half *y, float alpha, float beta, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(w[l * n + j]) * x[l];
    y[j] = __float2half(alpha * sum + beta * __half2float(y[j]));
}

// None of these: sums, or products, in 16 bits; a sum rounded to them at each step; every other element; a vector that is rounded first.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=45) in(w[m*k]) in(x[k]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void sums_of_halves(const __half *w, const __half *x, __half *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    __half sum = 0;
    for (int l = 0; l < k; l++)
        sum = __hfma(w[i * k + l], x[l], sum);
    y[i] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=37) let(k=45) in(w[m*k]) in(x[k]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void products_of_halves(const __half *w, const __half *x, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(__hmul(w[i * k + l], x[l]));
    y[i] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=37) let(k=45) in(w[m*k]) in(x[k]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void rounded_at_each(const __half *w, const float *x, __half *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    __half sum = 0;
    for (int l = 0; l < k; l++)
        sum = __float2half(__half2float(sum) + __half2float(w[i * k + l]) * x[l]);
    y[i] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=37) let(k=46) in(w[m*k]) in(x[k]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void every_other(const __nv_bfloat16 *w, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l += 2)
        sum += __bfloat162float(w[i * k + l]) * x[l];
    y[i] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=37) let(k=45) in(w[m*k]) in(x[k]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void rounded_x(const __half *w, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(w[i * k + l]) * __half2float(__float2half(x[l]));
    y[i] = sum;
}
