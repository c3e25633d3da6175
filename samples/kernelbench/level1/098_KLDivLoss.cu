// KernelBench level 1, problem 98: Kullback-Leibler divergence of 16384 rows of 16384
// probabilities, divided by the rows.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=268435456) in(predictions[n]=uniform(0.01,1)) \
    in(targets[n]=uniform(0.01,1)) out(partial[1024]) grid(1024) block(256)
__global__ void kl_terms(const float *predictions, const float *targets, float *partial, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float t = targets[i];
        sum += t * (logf(t) - logf(predictions[i]));
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

#pragma ks optimize
#pragma ks workload let(blocks=1024) set(factor=0.001) in(partial[blocks]=uniform(0,1)) \
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
    random_floats predictions(n, 98, 0.01, 1), targets(n, 9800, 0.01, 1);
    floats partial(blocks), loss(1);
    LAUNCH(kl_terms, blocks, 256, predictions, targets, partial, n);
    LAUNCH(finish_loss, 1, 256, partial, loss, blocks, 1.0f / 50);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double p = predictions[i], t = targets[i];
        sum += t * std::log(t / p);
    }
    return compare("098_KLDivLoss", loss, [&](size_t) { return sum / 50; });
}
