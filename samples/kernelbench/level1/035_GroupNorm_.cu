// KernelBench level 1, problem 35: group norm of 16 x 64 x 256 x 256 in 8 groups of channels.
// Sizes of the benchmark's first release; the current ones take 15 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(batch=16) let(channels=64) let(groups=8) let(pixels=65536) \
    in(x[batch*channels*pixels]=uniform(-1,1)) in(gamma[channels]=uniform(-1,1)) \
    in(beta[channels]=uniform(-1,1)) out(y[batch*channels*pixels]) grid(batch*groups) block(256)
__global__ void group_norm(const float *x, const float *gamma, const float *beta, float *y,
                           int channels, int groups, int pixels)
{
    int first = blockIdx.x % groups * (channels / groups); // channel
    int cols = channels / groups * pixels;
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
        y[i] = (x[i] - mean) * scale * gamma[first + i / pixels] + beta[first + i / pixels];
}

int main()
{
    need_gpu();
    int batch = 2, channels = 6, groups = 2, pixels = 150, cols = channels / groups * pixels;
    random_floats x(batch * channels * pixels, 35), gamma(channels, 350), beta(channels, 351);
    floats y(x.size);
    LAUNCH(group_norm, batch * groups, 256, x, gamma, beta, y, channels, groups, pixels);
    return compare("035_GroupNorm_", y, [&](size_t at) {
        const float *row = x + at / cols * cols;
        double mean = 0, square = 0;
        for (int i = 0; i < cols; i++)
            mean += row[i];
        mean /= cols;
        for (int i = 0; i < cols; i++)
            square += (row[i] - mean) * (row[i] - mean);
        double normal = (x[at] - mean) / std::sqrt(square / cols + 1e-5);
        int channel = at / pixels % channels;
        return normal * gamma[channel] + beta[channel];
    });
}
