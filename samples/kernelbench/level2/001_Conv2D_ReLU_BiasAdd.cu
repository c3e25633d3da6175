// KernelBench level 2, problem 1: 3 x 3 convolution, batch 128, 64 to 128 channels, 128 x 128; then
// ReLU, a number a channel added.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*9
#pragma ks optimize
#pragma ks workload let(batch=128) let(ci=64) let(co=128) let(h=128) let(w=128) let(oh=h-2) \
    let(ow=w-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[co*ci*9]=uniform(-0.042,0.042)) \
    in(bias[co]=uniform(-0.042,0.042)) in(added[co]=uniform(-1,1)) out(y[batch*co*oh*ow]) \
    grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_relu_add(const float *x, const float *weight, const float *bias,
                              const float *added, float *y, int ci, int co, int h, int w, int oh,
                              int ow)
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
    v = fmaxf(v, 0.0f) + added[o];
    y[(plane * oh + py) * ow + px] = v;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 5, {1, 11, 37}, {1, 3, 3}, {1, 9, 35}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 1), weight(co * ci * 9, 100), bias(co, 101);
    random_floats added(co, 102);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_relu_add, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x, weight,
           bias, added, y, ci, co, h, w, oh, ow);
    std::vector<double> wanted = conv_wanted(s, x, weight);
    return compare("001_Conv2D_ReLU_BiasAdd", y, [&](size_t at) {
        int o = at / (oh * ow) % co;
        double v = wanted[at] + bias[o];
        return std::fmax(v, 0.0) + added[o];
    });
}
