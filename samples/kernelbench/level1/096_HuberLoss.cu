// KernelBench level 1, problem 96: mean of the smooth L1 loss of 128 x 4096.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=524288) in(predictions[n]=uniform(-1,1)) in(targets[n]=uniform(-1,1)) \
    out(partial[256]) grid(256) block(256)
__global__ void smooth_l1(const float *predictions, const float *targets, float *partial, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float d = fabsf(predictions[i] - targets[i]);
        sum += d < 1.0f ? 0.5f * d * d : d - 0.5f;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

#pragma ks optimize
#pragma ks workload let(blocks=256) set(factor=0.001) in(partial[blocks]=uniform(0,1)) \
    out(loss[1]) grid(1) block(256)
__global__ void finish_loss(const float *partial, float *loss, int blocks, float factor)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < blocks; i += blockDim.x)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        loss[0] = sum * factor;
}

int main()
{
    need_gpu();
    int n = 5000, blocks = 6;
    random_floats predictions(n, 96, -1, 1), targets(n, 9600, -1, 1);
    floats partial(blocks), loss(1);
    LAUNCH(smooth_l1, blocks, 256, predictions, targets, partial, n);
    LAUNCH(finish_loss, 1, 256, partial, loss, blocks, 1.0f / n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double p = predictions[i], t = targets[i];
        sum += std::fabs(p - t) < 1 ? (p - t) * (p - t) / 2 : std::fabs(p - t) - 0.5;
    }
    return compare("096_HuberLoss", loss, [&](size_t) { return sum / n; });
}
