// KernelBench level 1, problem 39: 16 rows of 16384, each divided by its length.
// Sizes of the benchmark's first release; the current ones take 17 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=16) let(cols=16384) in(x[rows*cols]=uniform(-1,1)) out(y[rows*cols]) \
    grid(rows) block(256)
__global__ void l2_norm(const float *x, float *y, int cols)
{
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += x[i] * x[i];
    float length = sqrtf(block_sum(sum));
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = x[i] / length;
}

int main()
{
    need_gpu();
    int rows = 3, cols = 700;
    random_floats x(rows * cols, 39, -1, 1);
    floats y(rows * cols);
    LAUNCH(l2_norm, rows, 256, x, y, cols);
    return compare("039_L2Norm_", y, [&](size_t at) {
        const float *row = x + at / cols * cols;
        double sum = 0;
        for (int i = 0; i < cols; i++)
            sum += (double)row[i] * row[i];
        return x[at] / std::sqrt(sum);
    });
}
