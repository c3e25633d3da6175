// KernelBench level 1, problem 72: transposed, batch 8, 32 to 32 channels in 4 groups, 12 x 24 x
// 48, kernel 3 x 5 x 7, stride 2, padding 1, 2, 3, output padding 1.
#include "../port.h"

// flop: 2*batch*ci*co*d*h*w*3*5*7/4
#pragma ks optimize assume(ci % 4 == 0, co % 4 == 0)
#pragma ks workload let(batch=8) let(ci=32) let(co=32) let(d=12) let(h=24) let(w=48) let(od=d*2) \
    let(oh=h*2) let(ow=w*2) in(x[batch*ci*d*h*w]=uniform(-1,1)) \
    in(weight[ci*co*3*5*7/4]=uniform(-1,1)) out(y[batch*co*od*oh*ow]) \
    grid(ceildiv(od*oh*ow,256),batch*co) block(256)
__global__ void conv_back_grouped_3x5x7(const float *x, const float *weight, float *y, int ci,
                                        int co, int d, int h, int w, int od, int oh, int ow)
{
    const int kd = 3, kh = 5, kw = 7, stride = 2, pad_d = 1, pad_h = 2, pad_w = 3, groups = 4;
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int plane = blockIdx.y;
    if (at >= od * oh * ow)
        return;
    int px = at % ow, py = at / ow % oh, pz = at / (ow * oh);
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    int first = o / (co / groups) * (ci / groups);
    for (int c = first; c < first + ci / groups; c++)
        for (int tz = 0; tz < kd; tz++)
            for (int ty = 0; ty < kh; ty++)
                for (int tx = 0; tx < kw; tx++) {
                    int iz = pz + pad_d - tz;
                    int iy = py + pad_h - ty;
                    int ix = px + pad_w - tx;
                    if (iz % stride == 0 && iz >= 0 && iz / stride < d && iy % stride == 0 &&
                        iy >= 0 && iy / stride < h && ix % stride == 0 && ix >= 0 &&
                        ix / stride < w)
                        sum +=
                            x[(((n * ci + c) * d + iz / stride) * h + iy / stride) * w +
                              ix / stride] *
                            weight[(((c * (co / groups) + o % (co / groups)) * kd + tz) * kh + ty) *
                                       kw +
                                   tx];
                }
    y[plane * (od * oh * ow) + at] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2,           8,         12,        {4, 5, 7}, {3, 5, 7},
                    {8, 10, 14}, {2, 2, 2}, {1, 2, 3}, {1, 1, 1}, 4};
    int batch = s.batch, ci = s.ci, co = s.co, d = s.in[0], h = s.in[1], w = s.in[2], od = s.out[0],
        oh = s.out[1], ow = s.out[2];
    random_floats x(batch * ci * d * h * w, 72), weight(ci * co * 3 * 5 * 7 / 4, 7200);
    floats y(batch * co * od * oh * ow);
    LAUNCH(conv_back_grouped_3x5x7, dim3(ceildiv(od * oh * ow, 256), batch * co), 256, x, weight, y,
           ci, co, d, h, w, od, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare(
        "072_conv_transposed_3D_asymmetric_input_asymmetric_kernel___strided_padded_grouped_", y,
        [&](size_t i) { return want[i]; });
}
