// Products of halves, for templates.sh.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]) in(b[n*k]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void halves_nt(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __bfloat162float(a[i * k + l]) * __bfloat162float(b[j * k + l]);
    c[i * n + j] = __float2bfloat16(sum);
}

#pragma ks optimize
#pragma ks workload let(m=72) let(n=40) let(k=56) in(a[k*m]) in(b[k*n]) in(bias[n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void halves_tn_bias(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const float *bias, __nv_bfloat16 *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __bfloat162float(a[l * m + i]) * __bfloat162float(b[l * n + j]);
    c[i * n + j] = __float2bfloat16(sum + bias[j]);
}

// Whole tiles, more of them than are in shared memory at a time.
#pragma ks optimize
#pragma ks workload let(m=128) let(n=128) let(k=448) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void halves_long(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __bfloat162float(a[i * k + l]) * __bfloat162float(b[l * n + j]);
    c[i * n + j] = __float2bfloat16(sum);
}

// Scores of attention: products are kept in float.
#pragma ks optimize
#pragma ks workload let(m=24) let(n=16) let(d=24) in(q[m*d]) in(k[n*d]) set(scale=0.25) out(s[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void scores(const __half *q, const __half *k, float *s, float scale, int m, int n, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < d; l++)
        sum += __half2float(q[i * d + l]) * __half2float(k[j * d + l]);
    s[i * n + j] = sum * scale;
}

// And as they are: nothing rounds them to halves.
#pragma ks optimize
#pragma ks workload let(m=24) let(n=16) let(d=24) in(q[m*d]) in(k[n*d]) out(s[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void plain_scores(const __half *q, const __half *k, float *s, int m, int n, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < d; l++)
        sum += __half2float(q[i * d + l]) * __half2float(k[j * d + l]);
    s[i * n + j] = sum;
}

// The same but for keys behind the query, which are nothing.
#pragma ks optimize
#pragma ks workload let(m=24) let(n=16) let(d=24) in(q[m*d]) in(k[n*d]) out(s[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void masked_scores(const __half *q, const __half *k, float *s, int m, int n, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < d; l++)
        sum += __half2float(q[i * d + l]) * __half2float(k[j * d + l]);
    s[i * n + j] = j > i ? -INFINITY : sum;
}
