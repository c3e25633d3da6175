// KernelBench level 1, problem 66: batch 8, 3 to 64 channels, 16 x 128 x 128, kernel 3 x 5 x 7.
#include "../port.h"

// flop: 2*batch*ci*co*od*oh*ow*3*5*7
#pragma ks optimize
#pragma ks workload let(batch=8) let(ci=3) let(co=64) let(d=16) let(h=128) let(w=128) let(od=d-2) \
    let(oh=h-4) let(ow=w-6) in(x[batch*ci*d*h*w]=uniform(-1,1)) \
    in(weight[ci*co*3*5*7]=uniform(-1,1)) out(y[batch*co*od*oh*ow]) \
    grid(ceildiv(od*oh*ow,256),batch*co) block(256)
__global__ void conv_3x5x7_flat(const float *x, const float *weight, float *y, int ci, int co,
                                int d, int h, int w, int od, int oh, int ow)
{
    const int kd = 3, kh = 5, kw = 7;
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
                for (int tx = 0; tx < kw; tx++)
                    sum += x[(((n * ci + c) * d + pz + tz) * h + py + ty) * w + px + tx] *
                           weight[(((o * ci + c) * kd + tz) * kh + ty) * kw + tx];
    y[plane * (od * oh * ow) + at] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {6, 8, 10}, {3, 5, 7}, {4, 4, 4}};
    int batch = s.batch, ci = s.ci, co = s.co, d = s.in[0], h = s.in[1], w = s.in[2], od = s.out[0],
        oh = s.out[1], ow = s.out[2];
    random_floats x(batch * ci * d * h * w, 66), weight(ci * co * 3 * 5 * 7, 6600);
    floats y(batch * co * od * oh * ow);
    LAUNCH(conv_3x5x7_flat, dim3(ceildiv(od * oh * ow, 256), batch * co), 256, x, weight, y, ci, co,
           d, h, w, od, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("066_conv_standard_3D__asymmetric_input__asymmetric_kernel", y,
                   [&](size_t i) { return want[i]; });
}
