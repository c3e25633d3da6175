// The products of all pairs of rows, stored as halves: terms that cancel, and which together are beyond any half.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(m=96,n=80,k=48) in(x[m*k]=uniform(-300,300)) in(w[n*k]=uniform(-300,300)) out(y[m*n]) \
    grid(ceildiv(n,32),m) block(32)
__global__ void half_products(const __half *x, const __half *w, __half *y, int m, int n, int k)
{
    int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(x[i * k + l]) * __half2float(w[j * k + l]);
    y[i * n + j] = __float2half(sum);
}
