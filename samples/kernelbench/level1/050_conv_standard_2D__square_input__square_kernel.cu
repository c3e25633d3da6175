// KernelBench level 1, problem 50: 256 images, 3 to 96 channels, 224 x 224, kernel 11 x 11, stride
// 4, padding 2.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*11*11
#pragma ks optimize
#pragma ks workload let(batch=256) let(ci=3) let(co=96) let(h=224) let(w=224) let(oh=(h-7)/4+1) \
    let(ow=(w-7)/4+1) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*11*11]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_11x11(const float *x, const float *weight, float *y, int ci, int co, int h,
                           int w, int oh, int ow)
{
    const int kh = 11, kw = 11, stride = 4, pad = 2;
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
                int iy = py * stride - pad + ty;
                int ix = px * stride - pad + tx;
                if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                    sum += x[((n * ci + c) * h + iy) * w + ix] *
                           weight[((o * ci + c) * kh + ty) * kw + tx];
            }
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 14, 14}, {1, 11, 11}, {1, 2, 2}, {1, 4, 4}, {0, 2, 2}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 50), weight(ci * co * 11 * 11, 5000);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_11x11, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x, weight, y,
           ci, co, h, w, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("050_conv_standard_2D__square_input__square_kernel", y,
                   [&](size_t i) { return want[i]; });
}
