// KernelBench level 1, problem 73: transposed, batch 4, 32 to 32 channels in 4 groups, 32 x 64 x
// 128, kernel 3 x 3 x 3, stride 2, padding 1.
#include "../port.h"

// flop: 2*batch*ci*co*d*h*w*3*3*3/4
#pragma ks optimize assume(ci % 4 == 0, co % 4 == 0)
#pragma ks workload let(batch=4) let(ci=32) let(co=32) let(d=32) let(h=64) let(w=128) \
    let(od=d*2-1) let(oh=h*2-1) let(ow=w*2-1) in(x[batch*ci*d*h*w]=uniform(-1,1)) \
    in(weight[ci*co*3*3*3/4]=uniform(-1,1)) out(y[batch*co*od*oh*ow]) \
    grid(ceildiv(od*oh*ow,256),batch*co) block(256)
__global__ void conv_back_grouped_3x3x3(const float *x, const float *weight, float *y, int ci,
                                        int co, int d, int h, int w, int od, int oh, int ow)
{
    const int kd = 3, kh = 3, kw = 3, stride = 2, pad = 1, groups = 4;
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
                    int iz = pz + pad - tz;
                    int iy = py + pad - ty;
                    int ix = px + pad - tx;
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
    conv_shape s = {2, 8, 12, {4, 5, 7}, {3, 3, 3}, {7, 9, 13}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, 4};
    int batch = s.batch, ci = s.ci, co = s.co, d = s.in[0], h = s.in[1], w = s.in[2], od = s.out[0],
        oh = s.out[1], ow = s.out[2];
    random_floats x(batch * ci * d * h * w, 73), weight(ci * co * 3 * 3 * 3 / 4, 7300);
    floats y(batch * co * od * oh * ow);
    LAUNCH(conv_back_grouped_3x3x3, dim3(ceildiv(od * oh * ow, 256), batch * co), 256, x, weight, y,
           ci, co, d, h, w, od, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare("073_conv_transposed_3D_asymmetric_input_square_kernel__strided_padded__grouped",
                   y, [&](size_t i) { return want[i]; });
}
