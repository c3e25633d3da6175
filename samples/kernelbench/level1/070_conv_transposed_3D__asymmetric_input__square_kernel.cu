// KernelBench level 1, problem 70: transposed, batch 8, 48 to 24 channels, 96 x 96 x 96, kernel 3 x
// 3 x 3.
#include "../port.h"

// flop: 2*batch*ci*co*d*h*w*3*3*3
#pragma ks optimize
#pragma ks workload let(batch=8) let(ci=48) let(co=24) let(d=96) let(h=96) let(w=96) let(od=d+2) \
    let(oh=h+2) let(ow=w+2) in(x[batch*ci*d*h*w]=uniform(-1,1)) \
    in(weight[ci*co*3*3*3]=uniform(-1,1)) out(y[batch*co*od*oh*ow]) \
    grid(ceildiv(od*oh*ow,256),batch*co) block(256)
__global__ void conv_back_3x3x3_large(const float *x, const float *weight, float *y, int ci, int co,
                                      int d, int h, int w, int od, int oh, int ow)
{
    const int kd = 3, kh = 3, kw = 3;
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int plane = blockIdx.y;
    if (at >= od * oh * ow)
        return;
    int px = at % ow, py = at / ow % oh, pz = at / (ow * oh);
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int tz = 0; tz < kd; tz++)
            for (int ty = 0; ty < kh; ty++)
                for (int tx = 0; tx < kw; tx++) {
                    int iz = pz - tz;
                    int iy = py - ty;
                    int ix = px - tx;
                    if (iz >= 0 && iz < d && iy >= 0 && iy < h && ix >= 0 && ix < w)
                        sum += x[(((n * ci + c) * d + iz) * h + iy) * w + ix] *
                               weight[(((c * co + o) * kd + tz) * kh + ty) * kw + tx];
                }
    y[plane * (od * oh * ow) + at] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {4, 5, 7}, {3, 3, 3}, {6, 7, 9}};
    int batch = s.batch, ci = s.ci, co = s.co, d = s.in[0], h = s.in[1], w = s.in[2], od = s.out[0],
        oh = s.out[1], ow = s.out[2];
    random_floats x(batch * ci * d * h * w, 70), weight(ci * co * 3 * 3 * 3, 7000);
    floats y(batch * co * od * oh * ow);
    LAUNCH(conv_back_3x3x3_large, dim3(ceildiv(od * oh * ow, 256), batch * co), 256, x, weight, y,
           ci, co, d, h, w, od, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare("070_conv_transposed_3D__asymmetric_input__square_kernel", y,
                   [&](size_t i) { return want[i]; });
}
