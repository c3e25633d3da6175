// KernelBench level 1, problem 80: batch 8, 32 to 64 channels, 512 x 512, kernel 5 x 9, padding 2,
// 4, dilation 2, 3.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*5*9
#pragma ks optimize
#pragma ks workload let(batch=8) let(ci=32) let(co=64) let(h=512) let(w=512) let(oh=h-4) \
    let(ow=w-16) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*5*9]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_5x9_dilated(const float *x, const float *weight, float *y, int ci, int co,
                                 int h, int w, int oh, int ow)
{
    const int kh = 5, kw = 9, pad_h = 2, pad_w = 4, dilation_h = 2, dilation_w = 3;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (px >= ow || py >= oh)
        return;
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int ty = 0; ty < kh; ty++)
            for (int tx = 0; tx < kw; tx++) {
                int iy = py - pad_h + ty * dilation_h;
                int ix = px - pad_w + tx * dilation_w;
                if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                    sum += x[((n * ci + c) * h + iy) * w + ix] *
                           weight[((o * ci + c) * kh + ty) * kw + tx];
            }
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 13, 30}, {1, 5, 9}, {1, 9, 14}, {1, 1, 1}, {0, 2, 4}, {1, 2, 3}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 80), weight(ci * co * 5 * 9, 8000);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_5x9_dilated, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x,
           weight, y, ci, co, h, w, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("080_conv_standard_2D_square_input_asymmetric_kernel___dilated____padded__", y,
                   [&](size_t i) { return want[i]; });
}
