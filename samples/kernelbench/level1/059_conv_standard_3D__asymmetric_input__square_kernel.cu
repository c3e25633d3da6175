// KernelBench level 1, problem 59: batch 16, 3 to 64 channels, 256 x 256 x 10, kernel 3 x 3 x 1.
#include "../port.h"

// flop: 2*batch*ci*co*od*oh*ow*3*3*1
#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=3) let(co=64) let(d=256) let(h=256) let(w=10) let(od=d-2) \
    let(oh=h-2) let(ow=w) in(x[batch*ci*d*h*w]=uniform(-1,1)) \
    in(weight[ci*co*3*3*1]=uniform(-1,1)) out(y[batch*co*od*oh*ow]) \
    grid(ceildiv(od*oh*ow,256),batch*co) block(256)
__global__ void conv_3x3x1(const float *x, const float *weight, float *y, int ci, int co, int d,
                           int h, int w, int od, int oh, int ow)
{
    const int kd = 3, kh = 3, kw = 1;
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
    conv_shape s = {2, 3, 4, {6, 6, 9}, {3, 3, 1}, {4, 4, 9}};
    int batch = s.batch, ci = s.ci, co = s.co, d = s.in[0], h = s.in[1], w = s.in[2], od = s.out[0],
        oh = s.out[1], ow = s.out[2];
    random_floats x(batch * ci * d * h * w, 59), weight(ci * co * 3 * 3 * 1, 5900);
    floats y(batch * co * od * oh * ow);
    LAUNCH(conv_3x3x1, dim3(ceildiv(od * oh * ow, 256), batch * co), 256, x, weight, y, ci, co, d,
           h, w, od, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("059_conv_standard_3D__asymmetric_input__square_kernel", y,
                   [&](size_t i) { return want[i]; });
}
