// KernelBench level 1, problem 87: 1 x 1, batch 16, 3 to 64 channels, 256 x 256.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

// flop: 2*batch*ci*co*pixels
#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=3) let(co=64) let(pixels=65536) \
    in(x[batch*ci*pixels]=uniform(-1,1)) in(weight[ci*co]=uniform(-1,1)) out(y[batch*co*pixels]) \
    grid(ceildiv(pixels,256),batch*co) block(256)
__global__ void conv_1x1(const float *x, const float *weight, float *y, int ci, int co, int pixels)
{
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y / co, o = blockIdx.y % co;
    if (pixel >= pixels)
        return;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        sum += x[(n * ci + c) * pixels + pixel] * weight[o * ci + c];
    y[(n * co + o) * pixels + pixel] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 9, 35}, {1, 1, 1}, {1, 9, 35}};
    int batch = s.batch, ci = s.ci, co = s.co, pixels = 9 * 35;
    random_floats x(batch * ci * pixels, 87), weight(ci * co, 8700);
    floats y(batch * co * pixels);
    LAUNCH(conv_1x1, dim3(ceildiv(pixels, 256), batch * co), 256, x, weight, y, ci, co, pixels);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("087_conv_pointwise_2D", y, [&](size_t i) { return want[i]; });
}
