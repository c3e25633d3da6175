// KernelBench level 2, problem 57: 3 x 3 convolution, batch 128, 8 to 64 channels, 128 x 128; then
// ReLU, hard Swish.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*9
#pragma ks optimize
#pragma ks workload let(batch=128) let(ci=8) let(co=64) let(h=128) let(w=128) let(oh=h-2) \
    let(ow=w-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[co*ci*9]=uniform(-0.12,0.12)) \
    in(bias[co]=uniform(-0.12,0.12)) out(y[batch*co*oh*ow]) \
    grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_relu_hard_swish(const float *x, const float *weight, const float *bias,
                                     float *y, int ci, int co, int h, int w, int oh, int ow)
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
    v = fmaxf(v, 0.0f);
    v *= fminf(fmaxf((v + 3.0f) / 6.0f, 0.0f), 1.0f);
    y[(plane * oh + py) * ow + px] = v;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 5, {1, 11, 37}, {1, 3, 3}, {1, 9, 35}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 57), weight(co * ci * 9, 5700), bias(co, 5701);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_relu_hard_swish, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x,
           weight, bias, y, ci, co, h, w, oh, ow);
    std::vector<double> wanted = conv_wanted(s, x, weight);
    return compare("057_Conv2d_ReLU_HardSwish", y, [&](size_t at) {
        int o = at / (oh * ow) % co;
        double v = wanted[at] + bias[o];
        return v <= 0 ? 0 : v >= 3 ? v : v * (v + 3) / 6;
    });
}
