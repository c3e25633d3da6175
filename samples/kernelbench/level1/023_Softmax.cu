// KernelBench level 1, problem 23: softmax of 16 rows of 16384.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=16) let(cols=16384) in(x[rows*cols]=uniform(-8,8)) out(y[rows*cols]) \
    grid(rows) block(256)
__global__ void softmax(const float *x, float *y, int cols)
{
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        largest = fmaxf(largest, x[i]);
    largest = block_max(largest);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += expf(x[i] - largest);
    sum = block_sum(sum);

    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = expf(x[i] - largest) / sum;
}

int main()
{
    need_gpu();
    int rows = 3, cols = 700;
    random_floats x(rows * cols, 23, -8, 8);
    floats y(rows * cols);
    LAUNCH(softmax, rows, 256, x, y, cols);
    return compare("023_Softmax", y, [&](size_t at) {
        const float *row = x + at / cols * cols;
        double sum = 0;
        for (int i = 0; i < cols; i++)
            sum += std::exp((double)row[i]);
        return std::exp((double)x[at]) / sum;
    });
}
