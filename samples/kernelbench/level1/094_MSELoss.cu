// KernelBench level 1, problem 94: mean of squared differences of 128 x 4096.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=524288) in(predictions[n]=uniform(-1,1)) in(targets[n]=uniform(-1,1)) \
    out(partial[256]) grid(256) block(256)
__global__ void squared_differences(const float *predictions, const float *targets, float *partial,
                                    int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float difference = predictions[i] - targets[i];
        sum += difference * difference;
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
    random_floats predictions(n, 94, -1, 1), targets(n, 9400, -1, 1);
    floats partial(blocks), loss(1);
    LAUNCH(squared_differences, blocks, 256, predictions, targets, partial, n);
    LAUNCH(finish_loss, 1, 256, partial, loss, blocks, 1.0f / n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double p = predictions[i], t = targets[i];
        sum += (p - t) * (p - t);
    }
    return compare("094_MSELoss", loss, [&](size_t) { return sum / n; });
}
