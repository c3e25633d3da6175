// KernelBench level 1, problem 55: batch 8, 64 to 128 channels, 512 x 1024, kernel 3 x 3.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*3*3
#pragma ks optimize
#pragma ks workload let(batch=8) let(ci=64) let(co=128) let(h=512) let(w=1024) let(oh=h-2) \
    let(ow=w-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*3*3]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_3x3(const float *x, const float *weight, float *y, int ci, int co, int h,
                         int w, int oh, int ow)
{
    const int kh = 3, kw = 3;
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
    conv_shape s = {2, 3, 4, {1, 6, 6}, {1, 3, 3}, {1, 4, 4}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 55), weight(ci * co * 3 * 3, 5500);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_3x3, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x, weight, y,
           ci, co, h, w, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("055_conv_standard_2D__asymmetric_input__square_kernel", y,
                   [&](size_t i) { return want[i]; });
}
