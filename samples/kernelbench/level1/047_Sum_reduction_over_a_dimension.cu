// KernelBench level 1, problem 47: sum over the middle dimension of 16 x 256 x 256.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(batch=16) let(rows=256) let(cols=256) in(x[batch*rows*cols]=uniform(-1,1)) \
    out(y[batch*cols]) grid(ceildiv(cols,256),batch) block(256)
__global__ void sum_middle(const float *x, float *y, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    x += blockIdx.y * rows * cols + col;
    float sum = 0.0f;
    for (int row = 0; row < rows; row++)
        sum += x[row * cols];
    y[blockIdx.y * cols + col] = sum;
}

int main()
{
    need_gpu();
    int batch = 2, rows = 37, cols = 300;
    random_floats x(batch * rows * cols, 47);
    array<float> y(batch * cols);
    LAUNCH(sum_middle, dim3(ceildiv(cols, 256), batch), 256, x, y, rows, cols);
    return compare("047_Sum_reduction_over_a_dimension", y, [&](size_t at) {
        const float *column = x + at / cols * rows * cols + at % cols;
        double sum = 0;
        for (int row = 0; row < rows; row++)
            sum += column[row * cols];
        return sum;
    });
}
