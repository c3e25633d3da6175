// Softmax of rows of half precision, computed in single, a thread each.
#include <cuda_fp16.h>
#pragma ks optimize
#pragma ks workload let(rows=24,cols=500) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(rows,32)) block(32)
__global__ void half_softmax(const __half *x, __half *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const __half *from = x + (size_t)row * cols;
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < cols; i++)
        top = fmaxf(top, __half2float(from[i]));
    for (int i = 0; i < cols; i++)
        sum += expf(__half2float(from[i]) - top);
    for (int i = 0; i < cols; i++)
        y[(size_t)row * cols + i] = __float2half(expf(__half2float(from[i]) - top) / sum);
}
