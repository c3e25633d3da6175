// Weights of half precision: a warp a row of a matrix-vector product, and what is mixed by an attention's weights.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(n=8192) let(k=8192) in(w[n*k]=uniform(-1,1)) in(x[k]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,8)) block(32,8)
__global__ void gemv_half(const __half *w, const float *x, float *y, int n, int k)
{
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= n)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < k; i += 32)
        sum += __half2float(w[(size_t)row * k + i]) * x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        y[row] = sum;
}
#pragma ks optimize
#pragma ks workload let(heads=64) let(n=512) let(d=1024) in(weights[heads*n*n]=uniform(0,0.01)) \
    in(v[heads*n*d]=uniform(-1,1)) out(y[heads*n*d]) grid(ceildiv(d,16),ceildiv(n,16),heads) \
    block(16,16)
__global__ void attention_mix(const float *weights, const __half *v, __half *y, int n, int d)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= d)
        return;
    weights += (blockIdx.z * n + row) * n;
    v += blockIdx.z * n * d;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += weights[i] * __half2float(v[i * d + col]);
    y[(blockIdx.z * n + row) * d + col] = __float2half(sum);
}
