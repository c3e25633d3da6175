// KernelBench level 2, problem 87: 3 x 3 convolution, batch 128, 8 to 64 channels, 256 x 256; then
// minus 0.5, minus 0.2, Mish.
#include "../port.h"

__device__ static float mish(float v)
{
    return v * tanhf(v > 20.0f ? v : log1pf(expf(v)));
}

// flop: 2*batch*ci*co*oh*ow*9
#pragma ks optimize
#pragma ks workload let(batch=128) let(ci=8) let(co=64) let(h=256) let(w=256) let(oh=h-2) \
    let(ow=w-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[co*ci*9]=uniform(-0.12,0.12)) \
    in(bias[co]=uniform(-0.12,0.12)) out(y[batch*co*oh*ow]) \
    grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_subtract_mish(const float *x, const float *weight, const float *bias, float *y,
                                   int ci, int co, int h, int w, int oh, int ow)
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
    v = mish(v - 0.5f - 0.2f);
    y[(plane * oh + py) * ow + px] = v;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 5, {1, 11, 37}, {1, 3, 3}, {1, 9, 35}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 87), weight(co * ci * 9, 8700), bias(co, 8701);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_subtract_mish, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x,
           weight, bias, y, ci, co, h, w, oh, ow);
    std::vector<double> wanted = conv_wanted(s, x, weight);
    auto mish_of = [](double v) { return v * std::tanh(std::log(1 + std::exp(v))); };
    return compare("087_Conv2d_Subtract_Subtract_Mish", y, [&](size_t at) {
        int o = at / (oh * ow) % co;
        double v = wanted[at] + bias[o];
        return mish_of(v - 0.7);
    });
}
