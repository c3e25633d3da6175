// KernelBench level 1, problem 100: mean of max(0, 1 - prediction target) over 32768 x 32768; the
// targets go along the rows.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=32768) let(cols=32768) in(predictions[rows*cols]=uniform(-2,2)) \
    in(targets[cols]=uniform(-1,1)) out(partial[4096]) grid(4096) block(256)
__global__ void hinge_terms(const float *predictions, const float *targets, float *partial,
                            int rows, int cols)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols;
         i += gridDim.x * blockDim.x)
        sum += fmaxf(1.0f - predictions[i] * targets[i % cols], 0.0f);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

#pragma ks optimize
#pragma ks workload let(blocks=4096) set(factor=0.001) in(partial[blocks]=uniform(0,1)) \
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
    int rows = 20, cols = 130, blocks = 5;
    random_floats predictions(rows * cols, 100, -2, 2), targets(cols, 1000);
    for (int i = 0; i < cols; i++)
        targets[i] = targets[i] < 0 ? -1 : 1;
    floats partial(blocks), loss(1);
    LAUNCH(hinge_terms, blocks, 256, predictions, targets, partial, rows, cols);
    LAUNCH(finish_loss, 1, 256, partial, loss, blocks, 1.0f / (rows * cols));
    double sum = 0;
    for (int i = 0; i < rows * cols; i++)
        sum += std::fmax(1 - (double)predictions[i] * targets[i % cols], 0.0);
    return compare("100_HingeLoss", loss, [&](size_t) { return sum / (rows * cols); });
}
