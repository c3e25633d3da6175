// What a decoder does for each token: scores and values of the keys that are kept, weights of 8 bits, residual norms, lengths.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(heads=256) let(t=4096) let(d=128) set(scale=0.0883883) in(k[heads*t*d]=uniform(-1,1)) \
    in(q[heads*d]=uniform(-1,1)) out(s[heads*t]) grid(ceildiv(t,8),heads) block(32,8)
__global__ void scores(const __half *k, const __half *q, float *s, int t, int d, float scale)
{
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= t)
        return;
    const __half *key = k + ((size_t)blockIdx.y * t + row) * d, *query = q + blockIdx.y * d;
    float sum = 0;
    for (int i = threadIdx.x; i < d; i += 32)
        sum += __half2float(key[i]) * __half2float(query[i]);
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0)
        s[(size_t)blockIdx.y * t + row] = sum * scale;
}
#pragma ks optimize
#pragma ks workload let(heads=256) let(t=4096) let(d=128) in(v[heads*t*d]=uniform(-1,1)) in(p[heads*t]=uniform(0,0.001)) \
    out(y[heads*d]) grid(heads) block(d)
__global__ void values(const __half *v, const float *p, __half *y, int t, int d)
{
    float sum = 0;
    for (int i = 0; i < t; i++)
        sum += p[(size_t)blockIdx.x * t + i] * __half2float(v[((size_t)blockIdx.x * t + i) * d + threadIdx.x]);
    y[blockIdx.x * d + threadIdx.x] = __float2half(sum);
}
#pragma ks optimize
#pragma ks workload let(batch=64) let(m=4096) let(k=1024) in(a[batch*m*k]=uniform(-1,1)) in(x[batch*k]=uniform(-1,1)) \
    out(y[batch*m]) grid(ceildiv(m,256),1,batch) block(256)
__global__ void batched(const float *a, const float *x, float *y, int m, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[((size_t)blockIdx.z * m + row) * k + i] * x[blockIdx.z * k + i];
    y[blockIdx.z * m + row] = sum;
}
#pragma ks optimize
#pragma ks workload let(n=14336) let(k=8192) in(w[n*k]=randint(-127,127)) in(s[n]=uniform(0.001,0.01)) in(x[k]=uniform(-1,1)) \
    out(y[n]) grid(ceildiv(n,8)) block(32,8)
__global__ void gemv_bytes(const signed char *w, const float *s, const __half *x, float *y, int n, int k)
{
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= n)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < k; i += 32)
        sum += (float)w[(size_t)row * k + i] * __half2float(x[i]);
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0)
        y[row] = sum * s[row];
}
#pragma ks optimize
#pragma ks workload let(n=14336) let(k=8192) in(w[n*k]=randint(-127,127)) in(s[n*(k/64)]=uniform(0.001,0.01)) \
    in(x[k]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,8)) block(32,8)
__global__ void gemv_runs(const signed char *w, const float *s, const float *x, float *y, int n, int k)
{
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= n)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < k / 64 * 64; i += 32)
        sum += s[(size_t)row * (k / 64) + i / 64] * (float)w[(size_t)row * k + i] * x[i];
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0)
        y[row] = sum;
}
#pragma ks optimize
#pragma ks workload let(rows=4096) let(n=4096) inout(residual[rows*n]) in(x[rows*n]) in(g[n]) out(y[rows*n]) grid(rows) block(256)
__global__ void residual_norm(__half *residual, const __half *x, const __half *g, __half *y, int n)
{
    __shared__ float share[8];
    float sum = 0;
    size_t row = (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += 256) {
        float v = __half2float(residual[row + i]) + __half2float(x[row + i]);
        residual[row + i] = __float2half(v);
        sum += v * v;
    }
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0)
        share[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; w++)
        sum += share[w];
    float by = rsqrtf(sum / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 256)
        y[row + i] = __float2half(__half2float(residual[row + i]) * by * __half2float(g[i]));
}
#pragma ks optimize
#pragma ks workload let(rows=65536) let(n=1024) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,8)) block(32,8)
__global__ void by_length(const float *x, float *y, int rows, int n)
{
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[(size_t)row * n + i] * x[(size_t)row * n + i];
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float length = fmaxf(sqrtf(sum), 1e-12f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[(size_t)row * n + i] = x[(size_t)row * n + i] / length;
}
#pragma ks optimize
#pragma ks workload let(rows=16384) let(n4=1024) in(x[rows*n4]) in(g[n4]) out(y[rows*n4]) grid(rows) block(256)
__global__ void norm_of_packs(const float4 *x, const float4 *g, float4 *y, int n4)
{
    __shared__ float share[8];
    const float4 *row = x + (size_t)blockIdx.x * n4;
    float sum = 0;
    for (int i = threadIdx.x; i < n4; i += 256)
        sum += row[i].x * row[i].x + row[i].y * row[i].y + row[i].z * row[i].z + row[i].w * row[i].w;
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0)
        share[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; w++)
        sum += share[w];
    float by = rsqrtf(sum / (4 * n4) + 1e-6f);
    for (int i = threadIdx.x; i < n4; i += 256) {
        float4 v = row[i], w = g[i];
        y[(size_t)blockIdx.x * n4 + i] = make_float4(v.x * by * w.x, v.y * by * w.y, v.z * by * w.z, v.w * by * w.w);
    }
}
