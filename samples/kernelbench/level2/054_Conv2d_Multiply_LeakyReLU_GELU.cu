// KernelBench level 2, problem 54: 3 x 3 convolution, batch 64, 64 to 64 channels, 256 x 256; then
// times a number a channel, leaky ReLU, GELU.
#include "../port.h"

__device__ static float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

// flop: 2*batch*ci*co*oh*ow*9
#pragma ks optimize
#pragma ks workload let(batch=64) let(ci=64) let(co=64) let(h=256) let(w=256) let(oh=h-2) \
    let(ow=w-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[co*ci*9]=uniform(-0.042,0.042)) \
    in(bias[co]=uniform(-0.042,0.042)) in(factor[co]=uniform(-2,2)) out(y[batch*co*oh*ow]) \
    grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_times_leaky_relu_gelu(const float *x, const float *weight, const float *bias,
                                           const float *factor, float *y, int ci, int co, int h,
                                           int w, int oh, int ow)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (px >= ow || py >= oh)
        return;
    int n = plane / co, o = plane % co;
    float v = bias[o];
    for (int c = 0; c < ci; c++)
        for (int ty = 0; ty < 3; ty++)
            for (int tx = 0; tx < 3; tx++)
                v += x[((n * ci + c) * h + py + ty) * w + px + tx] *
                     weight[((o * ci + c) * 3 + ty) * 3 + tx];
    v *= factor[o];
    v = gelu(v > 0.0f ? v : 0.01f * v);
    y[(plane * oh + py) * ow + px] = v;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 5, {1, 11, 37}, {1, 3, 3}, {1, 9, 35}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 54), weight(co * ci * 9, 5400), bias(co, 5401);
    random_floats factor(co, 5402);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_times_leaky_relu_gelu, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co),
           dim3(32, 8), x, weight, bias, factor, y, ci, co, h, w, oh, ow);
    std::vector<double> wanted = conv_wanted(s, x, weight);
    auto gelu_of = [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); };
    return compare("054_Conv2d_Multiply_LeakyReLU_GELU", y, [&](size_t at) {
        int o = at / (oh * ow) % co;
        double v = wanted[at] + bias[o];
        return gelu_of(v * factor[o] * (v * factor[o] > 0 ? 1 : 0.01));
    });
}
