// KernelBench level 1, problem 33: batch norm of 16 x 64 x 256 x 256 by the batch's own statistics.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(batch=16) let(channels=64) let(pixels=65536) \
    in(x[batch*channels*pixels]=uniform(-1,1)) out(mean[channels]) out(scale[channels]) \
    grid(channels) block(256)
__global__ void batch_statistics(const float *x, float *mean, float *scale, int batch, int channels,
                                 int pixels)
{
    int channel = blockIdx.x;
    float sum = 0.0f, squares = 0.0f;
    for (int n = 0; n < batch; n++)
        for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
            float v = x[(n * channels + channel) * pixels + i];
            sum += v;
            squares += v * v;
        }
    sum = block_sum(sum);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        float count = (float)batch * pixels, middle = sum / count;
        mean[channel] = middle;
        scale[channel] = rsqrtf(squares / count - middle * middle + 1e-5f);
    }
}

#pragma ks optimize
#pragma ks workload let(n=67108864) let(channels=64) let(pixels=65536) in(x[n]=uniform(-1,1)) \
    in(mean[channels]=uniform(-1,1)) in(scale[channels]=uniform(1,2)) \
    in(gamma[channels]=uniform(-1,1)) in(beta[channels]=uniform(-1,1)) out(y[n]) \
    grid(ceildiv(n,256)) block(256)
__global__ void batch_norm(const float *x, const float *mean, const float *scale,
                           const float *gamma, const float *beta, float *y, int n, int channels,
                           int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int channel = i / pixels % channels;
    y[i] = (x[i] - mean[channel]) * scale[channel] * gamma[channel] + beta[channel];
}

int main()
{
    need_gpu();
    int batch = 3, channels = 4, pixels = 70, n = batch * channels * pixels;
    random_floats x(n, 33), gamma(channels, 330), beta(channels, 331);
    floats mean(channels), scale(channels), y(n);
    LAUNCH(batch_statistics, channels, 256, x, mean, scale, batch, channels, pixels);
    LAUNCH(batch_norm, ceildiv(n, 256), 256, x, mean, scale, gamma, beta, y, n, channels, pixels);
    return compare("033_BatchNorm", y, [&](size_t at) {
        int channel = at / pixels % channels, count = batch * pixels;
        double middle = 0, square = 0;
        auto value = [&](int i) -> double {
            return x[(i / pixels * channels + channel) * pixels + i % pixels];
        };
        for (int i = 0; i < count; i++)
            middle += value(i) / count;
        for (int i = 0; i < count; i++)
            square += (value(i) - middle) * (value(i) - middle) / count;
        return (x[at] - middle) / std::sqrt(square + 1e-5) * gamma[channel] + beta[channel];
    });
}
