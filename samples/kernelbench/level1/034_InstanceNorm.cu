// KernelBench level 1, problem 34: instance norm of 16 x 64 planes of 256 x 256, without weights.
// Sizes of the benchmark's first release; the current ones take 15 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=1024) let(cols=65536) in(x[rows*cols]=uniform(-1,1)) \
    out(y[rows*cols]) grid(rows) block(256)
__global__ void instance_norm(const float *x, float *y, int cols)
{
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    float mean = block_sum(sum) / cols;
    float scale = rsqrtf(block_sum(squares) / cols - mean * mean + 1e-5f);

    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = (x[i] - mean) * scale;
}

int main()
{
    need_gpu();
    int rows = 3, cols = 700;
    random_floats x(rows * cols, 34, -1, 1);
    floats y(rows * cols);
    LAUNCH(instance_norm, rows, 256, x, y, cols);
    return compare("034_InstanceNorm", y, [&](size_t at) {
        const float *row = x + at / cols * cols;
        double mean = 0, square = 0;
        for (int i = 0; i < cols; i++)
            mean += row[i];
        mean /= cols;
        for (int i = 0; i < cols; i++)
            square += (row[i] - mean) * (row[i] - mean);
        double normal = (x[at] - mean) / std::sqrt(square / cols + 1e-5);
        return normal;
    });
}
