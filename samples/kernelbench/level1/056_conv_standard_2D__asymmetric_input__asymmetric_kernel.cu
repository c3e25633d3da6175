// KernelBench level 1, problem 56: batch 8, 64 to 128 channels, 512 x 256, kernel 5 x 7.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*5*7
#pragma ks optimize
#pragma ks workload let(batch=8) let(ci=64) let(co=128) let(h=512) let(w=256) let(oh=h-4) \
    let(ow=w-6) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*5*7]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_5x7(const float *x, const float *weight, float *y, int ci, int co, int h,
                         int w, int oh, int ow)
{
    const int kh = 5, kw = 7;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (px >= ow || py >= oh)
        return;
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int ty = 0; ty < kh; ty++)
            for (int tx = 0; tx < kw; tx++)
                sum += x[((n * ci + c) * h + py + ty) * w + px + tx] *
                       weight[((o * ci + c) * kh + ty) * kw + tx];
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 8, 10}, {1, 5, 7}, {1, 4, 4}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 56), weight(ci * co * 5 * 7, 5600);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_5x7, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x, weight, y,
           ci, co, h, w, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("056_conv_standard_2D__asymmetric_input__asymmetric_kernel", y,
                   [&](size_t i) { return want[i]; });
}
