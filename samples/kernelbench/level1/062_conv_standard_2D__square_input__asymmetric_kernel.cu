// KernelBench level 1, problem 62: batch 8, 32 to 64 channels, 512 x 512, kernel 5 x 9.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*5*9
#pragma ks optimize
#pragma ks workload let(batch=8) let(ci=32) let(co=64) let(h=512) let(w=512) let(oh=h-4) \
    let(ow=w-8) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*5*9]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_5x9(const float *x, const float *weight, float *y, int ci, int co, int h,
                         int w, int oh, int ow)
{
    const int kh = 5, kw = 9;
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
    conv_shape s = {2, 3, 4, {1, 8, 12}, {1, 5, 9}, {1, 4, 4}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 62), weight(ci * co * 5 * 9, 6200);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_5x9, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x, weight, y,
           ci, co, h, w, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("062_conv_standard_2D__square_input__asymmetric_kernel", y,
                   [&](size_t i) { return want[i]; });
}
