// KernelBench level 1, problem 36: RMS norm of 16 x 64 x 256 x 256 over the channels.
// Sizes of the benchmark's first release; the current ones take 15 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(batch=16) let(channels=64) let(pixels=65536) \
    in(x[batch*channels*pixels]=uniform(-1,1)) out(y[batch*channels*pixels]) \
    grid(ceildiv(pixels,256),batch) block(256)
__global__ void rms_norm(const float *x, float *y, int channels, int pixels)
{
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= pixels)
        return;
    x += blockIdx.y * channels * pixels + pixel;
    y += blockIdx.y * channels * pixels + pixel;
    float squares = 0.0f;
    for (int c = 0; c < channels; c++)
        squares += x[c * pixels] * x[c * pixels];
    float root = sqrtf(squares / channels + 1e-5f);
    for (int c = 0; c < channels; c++)
        y[c * pixels] = x[c * pixels] / root;
}

int main()
{
    need_gpu();
    int batch = 2, channels = 5, pixels = 300;
    random_floats x(batch * channels * pixels, 36);
    floats y(x.size);
    LAUNCH(rms_norm, dim3(ceildiv(pixels, 256), batch), 256, x, y, channels, pixels);
    return compare("036_RMSNorm_", y, [&](size_t at) {
        int image = at / (channels * pixels), pixel = at % pixels;
        double squares = 0;
        for (int c = 0; c < channels; c++)
            squares += std::pow(x[(image * channels + c) * pixels + pixel], 2.0);
        return x[at] / std::sqrt(squares / channels + 1e-5);
    });
}
