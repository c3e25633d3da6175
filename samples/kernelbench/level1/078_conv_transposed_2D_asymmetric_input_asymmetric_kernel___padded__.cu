// KernelBench level 1, problem 78: transposed, batch 8, 32 to 32 channels, 512 x 1024, kernel 3 x
// 7, padding 1, 3.
#include "../port.h"

// flop: 2*batch*ci*co*h*w*3*7
#pragma ks optimize
#pragma ks workload let(batch=8) let(ci=32) let(co=32) let(h=512) let(w=1024) let(oh=h) let(ow=w) \
    in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*3*7]=uniform(-1,1)) out(y[batch*co*oh*ow]) \
    grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_back_3x7_padded(const float *x, const float *weight, float *y, int ci, int co,
                                     int h, int w, int oh, int ow)
{
    const int kh = 3, kw = 7, pad_h = 1, pad_w = 3;
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
                int iy = py + pad_h - ty;
                int ix = px + pad_w - tx;
                if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                    sum += x[((n * ci + c) * h + iy) * w + ix] *
                           weight[((c * co + o) * kh + ty) * kw + tx];
            }
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 4, 5}, {1, 3, 7}, {1, 4, 5}, {1, 1, 1}, {0, 1, 3}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 78), weight(ci * co * 3 * 7, 7800);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_back_3x7_padded, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x,
           weight, y, ci, co, h, w, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare("078_conv_transposed_2D_asymmetric_input_asymmetric_kernel___padded__", y,
                   [&](size_t i) { return want[i]; });
}
