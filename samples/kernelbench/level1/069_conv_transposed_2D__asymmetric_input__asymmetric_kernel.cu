// KernelBench level 1, problem 69: transposed, batch 64, 64 to 128 channels, 128 x 256, kernel 3
// x 5.
#include "../port.h"

// flop: 2*batch*ci*co*h*w*3*5
#pragma ks optimize
#pragma ks workload let(batch=64) let(ci=64) let(co=128) let(h=128) let(w=256) let(oh=h+2) \
    let(ow=w+4) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*co*3*5]=uniform(-1,1)) \
    out(y[batch*co*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_back_3x5(const float *x, const float *weight, float *y, int ci, int co, int h,
                              int w, int oh, int ow)
{
    const int kh = 3, kw = 5;
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
                int iy = py - ty;
                int ix = px - tx;
                if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                    sum += x[((n * ci + c) * h + iy) * w + ix] *
                           weight[((c * co + o) * kh + ty) * kw + tx];
            }
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 4, 5}, {1, 3, 5}, {1, 6, 9}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    random_floats x(batch * ci * h * w, 69), weight(ci * co * 3 * 5, 6900);
    floats y(batch * co * oh * ow);
    LAUNCH(conv_back_3x5, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x, weight,
           y, ci, co, h, w, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare("069_conv_transposed_2D__asymmetric_input__asymmetric_kernel", y,
                   [&](size_t i) { return want[i]; });
}
