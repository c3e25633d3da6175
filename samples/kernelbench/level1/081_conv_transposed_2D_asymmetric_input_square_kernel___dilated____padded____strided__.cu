// KernelBench level 1, problem 81: transposed, batch 16, 32 to 64 channels, 64 x 128, kernel 3 x 3,
// stride 5, padding 1, dilation 2.
#include "../port.h"

// flop: 2*batch*ci*co*h*w*3*3
#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=32) let(co=64) let(h=64) let(w=128) let(oh=h*5-2) \
    let(ow=w*5-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*3*3]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_back_3x3_dilated(const float *x, const float *weight, float *y, int ci, int co,
                                      int h, int w, int oh, int ow)
{
    const int kh = 3, kw = 3, stride = 5, pad = 1, dilation = 2;
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
                int iy = py + pad - ty * dilation;
                int ix = px + pad - tx * dilation;
                if (iy % stride == 0 && iy >= 0 && iy / stride < h && ix % stride == 0 && ix >= 0 &&
                    ix / stride < w)
                    sum += x[((n * ci + c) * h + iy / stride) * w + ix / stride] *
                           weight[((c * co + o) * kh + ty) * kw + tx];
            }
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 4, 5}, {1, 3, 3}, {1, 18, 23}, {1, 5, 5}, {0, 1, 1}, {1, 2, 2}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 81), weight(ci * co * 3 * 3, 8100);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_back_3x3_dilated, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x,
           weight, y, ci, co, h, w, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare(
        "081_conv_transposed_2D_asymmetric_input_square_kernel___dilated____padded____strided__", y,
        [&](size_t i) { return want[i]; });
}
