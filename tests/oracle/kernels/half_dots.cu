// Products of rows of halves, summed in float: terms of one sign in the end, a thousand of them.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(m=8,k=1024) in(x[m*k]=uniform(-1,1)) in(w[m*k]=uniform(-1,1)) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void half_dots(const __half *x, const __half *w, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __half2float(x[i * k + l]) * __half2float(w[i * k + l]);
    y[i] = sum;
}
