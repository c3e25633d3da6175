// KernelBench level 1, problem 38: 16 rows of 16384, each divided by the mean of its absolute
// values. Sizes of the benchmark's first release; the current ones take 17 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=16) let(cols=16384) in(x[rows*cols]=uniform(-1,1)) out(y[rows*cols]) \
    grid(rows) block(256)
__global__ void l1_norm(const float *x, float *y, int cols)
{
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += fabsf(x[i]);
    float mean = block_sum(sum) / cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = x[i] / mean;
}

int main()
{
    need_gpu();
    int rows = 3, cols = 700;
    random_floats x(rows * cols, 38, -1, 1);
    floats y(rows * cols);
    LAUNCH(l1_norm, rows, 256, x, y, cols);
    return compare("038_L1Norm_", y, [&](size_t at) {
        const float *row = x + at / cols * cols;
        double sum = 0;
        for (int i = 0; i < cols; i++)
            sum += std::fabs(row[i]);
        return x[at] / (sum / cols);
    });
}
