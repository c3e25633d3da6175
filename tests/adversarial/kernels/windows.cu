#include <math.h>
// The largest of every eight.
#pragma ks optimize
#pragma ks workload let(n=100000) in(x[n*8]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void windows(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float m = -INFINITY;
    for (int k = 0; k < 8; k++)
        m = fmaxf(m, x[8 * i + k]);
    y[i] = m;
}
