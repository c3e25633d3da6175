// KernelBench level 1, problem 68: transposed, batch 16, 32 to 64 channels, 64 x 64 x 64, kernel 3
// x 5 x 5.
#include "../port.h"

// flop: 2*batch*ci*co*d*h*w*3*5*5
#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=32) let(co=64) let(d=64) let(h=64) let(w=64) let(od=d+2) \
    let(oh=h+4) let(ow=w+4) in(x[batch*ci*d*h*w]=uniform(-1,1)) \
    in(weight[ci*co*3*5*5]=uniform(-1,1)) out(y[batch*co*od*oh*ow]) \
    grid(ceildiv(od*oh*ow,256),batch*co) block(256)
__global__ void conv_back_3x5x5(const float *x, const float *weight, float *y, int ci, int co,
                                int d, int h, int w, int od, int oh, int ow)
{
    const int kd = 3, kh = 5, kw = 5;
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
    conv_shape s = {2, 3, 4, {4, 5, 7}, {3, 5, 5}, {6, 9, 11}};
    int batch = s.batch, ci = s.ci, co = s.co, d = s.in[0], h = s.in[1], w = s.in[2], od = s.out[0],
        oh = s.out[1], ow = s.out[2];
    random_floats x(batch * ci * d * h * w, 68), weight(ci * co * 3 * 5 * 5, 6800);
    floats y(batch * co * od * oh * ow);
    LAUNCH(conv_back_3x5x5, dim3(ceildiv(od * oh * ow, 256), batch * co), 256, x, weight, y, ci, co,
           d, h, w, od, oh, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare("068_conv_transposed_3D__square_input__asymmetric_kernel", y,
                   [&](size_t i) { return want[i]; });
}
