// Products of a matrix of fp32 and one of halves, for templates_mixed.sh.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// What attention makes of its weights: a batch, stored as halves.
#pragma ks optimize
#pragma ks workload let(z=2) let(m=9) let(n=12) let(k=10) in(p[z*m*k]=uniform(0,1)) in(v[z*k*n]=uniform(-1,1)) out(y[z*m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16),z) block(16,16)
__global__ void mixed_values(const float *p, const __half *v, __half *y, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += p[(z * m + i) * k + l] * __half2float(v[(z * k + l) * n + j]);
    y[(z * m + i) * n + j] = __float2half(sum);
}

// A layer whose weights alone are halves, with a bias and a limit.
#pragma ks optimize
#pragma ks workload let(m=36) let(n=38) let(k=72) in(x[m*k]=uniform(-1,1)) in(w[n*k]=uniform(-1,1)) in(bias[n]=uniform(-1,1)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void layer(const float *x, const __nv_bfloat16 *w, const __nv_bfloat16 *bias, float *y, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += x[i * k + l] * __bfloat162float(w[j * k + l]);
    y[i * n + j] = fmaxf(sum + __bfloat162float(bias[j]), 0.0f);
}

#pragma ks optimize
#pragma ks workload let(m=36) let(n=40) let(k=45) in(a[k*m]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void float_half_tn(const float *a, const __nv_bfloat16 *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[l * m + i] * __bfloat162float(b[l * n + j]);
    c[i * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=36) let(n=38) let(k=40) in(a[k*m]=uniform(-1,1)) in(b[n*k]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void float_half_tt(const float *a, const __half *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[l * m + i] * __half2float(b[j * k + l]);
    c[i * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=37) let(n=36) let(k=72) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void half_float_nn(const __half *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(a[i * k + l]) * b[l * n + j];
    c[i * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=37) let(n=38) let(k=64) in(a[m*k]=uniform(-1,1)) in(b[n*k]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void half_float_nt(const __nv_bfloat16 *a, const float *b, __nv_bfloat16 *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __bfloat162float(a[i * k + l]) * b[j * k + l];
    c[i * n + j] = __float2bfloat16(sum);
}

// The gradient of such a layer's weights, with what is more than a sum of products behind it.
#pragma ks optimize
#pragma ks workload let(m=40) let(n=36) let(k=33) set(scale=0.25) in(a[k*m]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void half_float_tn_swish(const __half *a, const float *b, float *c, float scale, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(a[l * m + i]) * b[l * n + j];
    sum *= scale;
    c[i * n + j] = sum / (1.0f + expf(-sum));
}

#pragma ks optimize
#pragma ks workload let(m=40) let(n=38) let(k=36) in(a[k*m]=uniform(-1,1)) in(b[n*k]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void half_float_tt(const __half *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(a[l * m + i]) * b[j * k + l];
    c[i * n + j] = sum;
}

// None of these: the factor of fp32 is rounded first; the sum is one of halves; a product of each pair is.
#pragma ks optimize
#pragma ks workload let(m=36) let(n=40) let(k=44) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void rounded_first(const float *a, const __half *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(__float2half(a[i * k + l])) * __half2float(b[l * n + j]);
    c[i * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=36) let(n=40) let(k=44) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void sum_of_halves(const float *a, const __half *b, __half *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    __half sum = __float2half(0.0f);
    for (int l = 0; l < k; l++)
        sum = __float2half(__half2float(sum) + a[i * k + l] * __half2float(b[l * n + j]));
    c[i * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=36) let(n=40) let(k=44) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void rounded_products(const float *a, const __half *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(__float2half(a[i * k + l] * __half2float(b[l * n + j])));
    c[i * n + j] = sum;
}
