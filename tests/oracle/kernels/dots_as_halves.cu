// The product of each row with weights, stored as a half: here about where halves end.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(rows=1500,cols=64) in(x[rows*cols]=normal(32,0.002)) in(w[cols]=normal(31.992,0.0001)) \
    out(y[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void dots_as_halves(const float *x, const float *w, __half *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < cols; i++)
        sum += x[(size_t)row * cols + i] * w[i];
    y[row] = __float2half(sum);
}
