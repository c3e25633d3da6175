// KernelBench level 1, problem 95: mean cross entropy of 32768 rows of 4096 classes.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=32768) let(classes=4096) in(x[rows*classes]=uniform(-4,4)) \
    in(targets[rows]=randint(0,4095)) out(losses[rows]) grid(rows) block(256)
__global__ void cross_entropy_rows(const float *x, const long long *targets, float *losses,
                                   int classes)
{
    x += blockIdx.x * classes;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
        largest = fmaxf(largest, x[i]);
    largest = block_max(largest);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
        sum += expf(x[i] - largest);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = largest + logf(sum) - x[targets[blockIdx.x]];
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
    int rows = 5, classes = 600;
    random_floats x(rows * classes, 95, -4, 4);
    array<long long> targets(rows);
    fill_random(targets, 950, 0, classes);
    floats losses(rows), mean(1);
    LAUNCH(cross_entropy_rows, rows, 256, x, targets, losses, classes);
    LAUNCH(finish_mean, 1, 256, losses, mean, rows);
    double total = 0;
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int i = 0; i < classes; i++)
            sum += std::exp((double)x[row * classes + i]);
        total += std::log(sum) - x[row * classes + targets[row]];
    }
    return compare("095_CrossEntropyLoss", mean, [&](size_t) { return total / rows; });
}
