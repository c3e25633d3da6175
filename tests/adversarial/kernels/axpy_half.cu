// y = a x + y in halves.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(n=1048576) set(a=0.75) in(x[n]=uniform(-1,1)) inout(y[n]=uniform(-1,1)) grid(ceildiv(n,256)) block(256)
__global__ void axpy_half(float a, const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __hfma(__float2half(a), x[i], y[i]);
}
