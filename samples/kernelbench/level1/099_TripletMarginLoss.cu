// KernelBench level 1, problem 99: mean over 32768 rows of 8192 of how much nearer the positive is
// than the negative, margin 1.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=32768) let(cols=8192) in(anchor[rows*cols]=uniform(-1,1)) \
    in(positive[rows*cols]=uniform(-1,1)) in(negative[rows*cols]=uniform(-1,1)) out(losses[rows]) \
    grid(rows) block(256)
__global__ void triplet_rows(const float *anchor, const float *positive, const float *negative,
                             float *losses, int cols)
{
    const float margin = 1.0f, eps = 1e-6f;
    float near = 0.0f, far = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        int at = blockIdx.x * cols + i;
        float p = anchor[at] - positive[at] + eps;
        float n = anchor[at] - negative[at] + eps;
        near += p * p;
        far += n * n;
    }
    near = block_sum(near);
    far = block_sum(far);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = fmaxf(sqrtf(near) - sqrtf(far) + margin, 0.0f);
}

#pragma ks optimize
#pragma ks workload let(rows=32768) in(losses[rows]=uniform(0,1)) out(mean[1]) grid(1) block(256)
__global__ void finish_mean(const float *losses, float *mean, int rows)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < rows; i += blockDim.x)
        sum += losses[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        mean[0] = sum / rows;
}

int main()
{
    need_gpu();
    int rows = 7, cols = 500;
    random_floats anchor(rows * cols, 99), positive(rows * cols, 990), negative(rows * cols, 991);
    floats losses(rows), mean(1);
    LAUNCH(triplet_rows, rows, 256, anchor, positive, negative, losses, cols);
    LAUNCH(finish_mean, 1, 256, losses, mean, rows);
    double total = 0;
    for (int row = 0; row < rows; row++) {
        double near = 0, far = 0;
        for (int i = row * cols; i < (row + 1) * cols; i++) {
            near += std::pow((double)anchor[i] - positive[i] + 1e-6, 2);
            far += std::pow((double)anchor[i] - negative[i] + 1e-6, 2);
        }
        total += std::fmax(std::sqrt(near) - std::sqrt(far) + 1, 0.0);
    }
    return compare("099_TripletMarginLoss", mean, [&](size_t) { return total / rows; });
}
