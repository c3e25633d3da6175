// KernelBench level 1, problem 75: transposed, batch 16, 32 to 64 channels in 4 groups, 128 x 256,
// kernel 3 x 5, stride 2, 3, padding 1, 2, dilation 2, 1.
#include "../port.h"

// flop: 2*batch*ci*co*h*w*3*5/4
#pragma ks optimize assume(ci % 4 == 0, co % 4 == 0)
#pragma ks workload let(batch=16) let(ci=32) let(co=64) let(h=128) let(w=256) let(oh=h*2+1) \
    let(ow=w*3-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*3*5/4]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_back_grouped_3x5(const float *x, const float *weight, float *y, int ci, int co,
                                      int h, int w, int oh, int ow)
{
    const int kh = 3, kw = 5, stride_h = 2, stride_w = 3, pad_h = 1, pad_w = 2, dilation_h = 2,
              groups = 4;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (px >= ow || py >= oh)
        return;
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    int first = o / (co / groups) * (ci / groups);
    for (int c = first; c < first + ci / groups; c++)
        for (int ty = 0; ty < kh; ty++)
            for (int tx = 0; tx < kw; tx++) {
                int iy = py + pad_h - ty * dilation_h;
                int ix = px + pad_w - tx;
                if (iy % stride_h == 0 && iy >= 0 && iy / stride_h < h && ix % stride_w == 0 &&
                    ix >= 0 && ix / stride_w < w)
                    sum += x[((n * ci + c) * h + iy / stride_h) * w + ix / stride_w] *
                           weight[((c * (co / groups) + o % (co / groups)) * kh + ty) * kw + tx];
            }
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 8, 12, {1, 4, 5}, {1, 3, 5}, {1, 9, 13}, {1, 2, 3}, {0, 1, 2}, {1, 2, 1}, 4};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 75), weight(ci * co * 3 * 5 / 4, 7500);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_back_grouped_3x5, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x,
           weight, y, ci, co, h, w, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare("075_conv_transposed_2D_asymmetric_input_asymmetric_kernel_strided__grouped____"
                   "padded____dilated__",
                   y, [&](size_t i) { return want[i]; });
}
