// Half precision.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(n=33554432) in(a[n]=uniform(-1,1)) in(b[n]=uniform(-1,1)) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void blend_half(const __half *a, const __half *b, __half *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __float2half(0.25f * __half2float(a[i]) + 0.75f * __half2float(b[i]));
}
