// KernelBench level 1, problem 37: 16 x 64 x 256 x 256 elements divided by the root of the sum of
// their squares. Sizes of the benchmark's first release; the current ones take 15 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=67108864) in(x[n]=uniform(-1,1)) out(partial[1024]) grid(1024) \
    block(256)
__global__ void sum_squares(const float *x, float *partial, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

#pragma ks optimize
#pragma ks workload let(blocks=1024) in(partial[blocks]=uniform(0,1)) out(norm[1]) grid(1) \
    block(256)
__global__ void finish_norm(const float *partial, float *norm, int blocks)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < blocks; i += blockDim.x)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        norm[0] = sqrtf(sum);
}

#pragma ks optimize
#pragma ks workload let(n=67108864) in(x[n]=uniform(-1,1)) in(norm[1]=uniform(1,2)) out(y[n]) \
    grid(ceildiv(n,256)) block(256)
__global__ void divide(const float *x, const float *norm, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / norm[0];
}

int main()
{
    need_gpu();
    int n = 5000, blocks = 6;
    random_floats x(n, 37);
    floats partial(blocks), norm(1), y(n);
    LAUNCH(sum_squares, blocks, 256, x, partial, n);
    LAUNCH(finish_norm, 1, 256, partial, norm, blocks);
    LAUNCH(divide, ceildiv(n, 256), 256, x, norm, y, n);
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += (double)x[i] * x[i];
    return compare("037_FrobeniusNorm_", y, [&](size_t i) { return x[i] / std::sqrt(squares); });
}
