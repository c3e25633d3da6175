// KernelBench level 1, problem 40: layer norm of 16 rows of 64 x 256 x 256.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=16) let(cols=4194304) in(x[rows*cols]=uniform(-1,1)) \
    in(gamma[cols]=uniform(-1,1)) in(beta[cols]=uniform(-1,1)) out(y[rows*cols]) grid(rows) \
    block(1024)
__global__ void layer_norm(const float *x, const float *gamma, const float *beta, float *y,
                           int cols)
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
        y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
}

int main()
{
    need_gpu();
    int rows = 2, cols = 1500;
    random_floats x(rows * cols, 40), gamma(cols, 400), beta(cols, 401);
    floats y(x.size);
    LAUNCH(layer_norm, rows, 1024, x, gamma, beta, y, cols);
    return compare("040_LayerNorm", y, [&](size_t at) {
        const float *row = x + at / cols * cols;
        double mean = 0, square = 0;
        for (int i = 0; i < cols; i++)
            mean += row[i];
        mean /= cols;
        for (int i = 0; i < cols; i++)
            square += (row[i] - mean) * (row[i] - mean);
        double normal = (x[at] - mean) / std::sqrt(square / cols + 1e-5);
        return normal * gamma[at % cols] + beta[at % cols];
    });
}
