// Batches of matrix-vector products, and such of bytes, for templates_batched.sh.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// A thread a row, a block of z a product.
#pragma ks optimize
#pragma ks workload let(B=3) let(m=37) let(k=45) in(a[B*m*k]) in(x[B*k]) out(y[B*m]) grid(ceildiv(m,32),1,B) block(32)
__global__ void by_thread(const float *a, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.z;
    if (i >= m)
        return;
    const float *row = a + ((size_t)b * m + i) * k;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += row[l] * x[b * k + l];
    y[b * m + i] = sum;
}

// A warp a row, a bias that all products share and one that they do not.
#pragma ks optimize
#pragma ks workload let(B=3) let(m=37) let(k=96) in(a[B*m*k]) in(x[B*k]) in(bias[m]) in(old[B*m]) out(y[B*m]) \
    grid(ceildiv(m,4),B) block(32,4)
__global__ void by_warp(const double *a, const double *x, const double *bias, const double *old, double *y, int m, int k)
{
    int i = blockIdx.x * blockDim.y + threadIdx.y, b = blockIdx.y;
    if (i >= m)
        return;
    double sum = 0;
    for (int l = threadIdx.x; l < k; l += 32)
        sum += a[((size_t)b * m + i) * k + l] * x[b * k + l];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        y[b * m + i] = fmax(sum + bias[i], 0.0) + old[b * m + i];
}

// What a query is like to the keys that its head has kept.
#pragma ks optimize
#pragma ks workload let(B=2) let(H=3) let(T=41) let(D=64) set(scale=0.125) in(K[B*H*T*D]) in(q[B*H*D]) out(s[B*H*T]) \
    grid(ceildiv(T,4),H,B) block(32,4)
__global__ void scores(const __half *K, const __half *q, float *s, int T, int D, float scale)
{
    int t = blockIdx.x * 4 + threadIdx.y;
    if (t >= T)
        return;
    size_t head = (size_t)blockIdx.z * gridDim.y + blockIdx.y;
    const __half *key = K + (head * T + t) * D, *query = q + head * D;
    float sum = 0;
    for (int d = threadIdx.x; d < D; d += 32)
        sum += __half2float(key[d]) * __half2float(query[d]);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        s[head * T + t] = sum * scale;
}

// And what comes of the values.
#pragma ks optimize
#pragma ks workload let(BH=5) let(T=70) let(D=64) in(V[BH*T*D]) in(p[BH*T]) out(o[BH*D]) grid(BH) block(D)
__global__ void values(const __nv_bfloat16 *V, const float *p, __nv_bfloat16 *o, int T, int D)
{
    float sum = 0;
    for (int t = 0; t < T; t++)
        sum += p[blockIdx.x * T + t] * __bfloat162float(V[((size_t)blockIdx.x * T + t) * D + threadIdx.x]);
    o[blockIdx.x * D + threadIdx.x] = __float2bfloat16(sum);
}

// A thread each of all elements, the matrix by columns.
#pragma ks optimize
#pragma ks workload let(B=4) let(m=70) let(k=33) in(a[B*k*m]) in(x[B*k]) out(y[B*m]) grid(ceildiv(B*m,128)) block(128)
__global__ void flat(const float *a, const float *x, float *y, int B, int m, int k)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= B * m)
        return;
    int b = e / m, j = e % m;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[((size_t)b * k + l) * m + j] * x[b * k + l];
    y[e] = sum;
}

// Bytes, each row with a factor of its own, which comes last.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=96) in(w[m*k]=randint(-127,127)) in(s[m]=uniform(0.001,0.01)) in(x[k]) out(y[m]) \
    grid(ceildiv(m,4)) block(32,4)
__global__ void bytes(const signed char *w, const float *s, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * 4 + threadIdx.y;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 32)
        sum += (float)w[(size_t)i * k + l] * x[l];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        y[i] = sum * s[i];
}

// The same of halves, summed by four warps whose shares are added up by name, with a bias.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=256) in(w[m*k]=randint(0,255)) in(s[m]=uniform(0.001,0.01)) in(x[k]) in(bias[m]) \
    out(y[m]) grid(m) block(128)
__global__ void four_shares(const unsigned char *w, const __half *s, const __half *x, const __half *bias, __half *y, int k)
{
    __shared__ float share[4];
    int i = blockIdx.x;
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 128)
        sum += (float)w[(size_t)i * k + l] * __half2float(x[l]);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        share[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        y[i] = __float2half((share[0] + share[1] + share[2] + share[3]) * __half2float(s[i]) + __half2float(bias[i]));
}

// A factor in the loop.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=83) in(w[m*k]=randint(-127,127)) in(s[m]=uniform(0.001,0.01)) in(x[k]) out(y[m]) \
    grid(ceildiv(m,32)) block(32)
__global__ void scaled(const signed char *w, const float *s, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += (w[i * k + l] * s[i]) * x[l];
    y[i] = sum;
}

// A factor for each 32 of a row.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=256) in(w[m*k]=randint(-127,127)) in(s[m*(k/32)]=uniform(0.001,0.01)) in(x[k]) out(y[m]) \
    grid(ceildiv(m,4)) block(32,4)
__global__ void in_runs(const signed char *w, const __half *s, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * 4 + threadIdx.y;
    if (i >= m)
        return;
    float sum = 0;
    for (int g = 0; g < k / 32; g++)
        sum += __half2float(s[i * (k / 32) + g]) * (float)w[(size_t)i * k + g * 32 + threadIdx.x] * x[g * 32 + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        y[i] = sum;
}

// Almost such: vectors in another order.
#pragma ks optimize
#pragma ks workload let(B=3) let(m=37) let(k=45) in(a[B*m*k]) in(x[B*k]) out(y[B*m]) grid(ceildiv(m,32),1,B) block(32)
__global__ void others_vector(const float *a, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.z;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[((size_t)b * m + i) * k + l] * x[(gridDim.z - 1 - b) * k + l];
    y[b * m + i] = sum;
}

// A factor of each column, and factors of runs that lie side by side for all rows.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=96) in(w[m*k]=randint(-127,127)) in(s[k]=uniform(0.001,0.01)) in(x[k]) out(y[m]) \
    grid(ceildiv(m,32)) block(32)
__global__ void by_column(const signed char *w, const float *s, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += (float)w[i * k + l] * s[l] * x[l];
    y[i] = sum;
}
#pragma ks optimize
#pragma ks workload let(m=37) let(k=256) in(w[m*k]=randint(-127,127)) in(s[m*(k/32)]=uniform(0.001,0.01)) in(x[k]) out(y[m]) \
    grid(ceildiv(m,32)) block(32)
__global__ void turned_runs(const signed char *w, const float *s, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k / 32 * 32; l++)
        sum += (float)w[i * k + l] * s[l / 32 * m + i] * x[l];
    y[i] = sum;
}

// Of rounded numbers, and one share taken twice.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=96) in(w[m*k]=randint(-127,127)) in(x[k]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void rounded(const signed char *w, const float *x, float *y, int m, int k)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += (float)w[i * k + l] * rintf(x[l]);
    y[i] = sum;
}
#pragma ks optimize
#pragma ks workload let(m=37) let(k=256) in(w[m*k]=randint(-127,127)) in(x[k]) out(y[m]) grid(m) block(128)
__global__ void twice_a_share(const signed char *w, const float *x, float *y, int k)
{
    __shared__ float share[4];
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 128)
        sum += (float)w[(size_t)blockIdx.x * k + l] * x[l];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        share[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = share[0] + share[0] + share[1] + share[2] + share[3];
}
