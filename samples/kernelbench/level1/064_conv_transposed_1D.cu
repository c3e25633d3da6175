// KernelBench level 1, problem 64: transposed, batch 64, 128 to 128 channels, 65536, kernel 3.
#include "../port.h"

// flop: 2*batch*ci*co*w*3
#pragma ks optimize
#pragma ks workload let(batch=64) let(ci=128) let(co=128) let(w=65536) let(ow=w+2) \
    in(x[batch*ci*w]=uniform(-1,1)) in(weight[ci*co*3]=uniform(-1,1)) out(y[batch*co*ow]) \
    grid(ceildiv(ow,256),batch*co) block(256)
__global__ void conv_back_3(const float *x, const float *weight, float *y, int ci, int co, int w,
                            int ow)
{
    const int kw = 3;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int plane = blockIdx.y;
    if (px >= ow)
        return;
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int tx = 0; tx < kw; tx++) {
            int ix = px - tx;
            if (ix >= 0 && ix < w)
                sum += x[(n * ci + c) * w + ix] * weight[(c * co + o) * kw + tx];
        }
    y[plane * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 1, 4}, {1, 1, 3}, {1, 1, 6}};
    int batch = s.batch, ci = s.ci, co = s.co, w = s.in[2], ow = s.out[2];
    random_floats x(batch * ci * w, 64), weight(ci * co * 3, 6400);
    floats y(batch * co * ow);
    LAUNCH(conv_back_3, dim3(ceildiv(ow, 256), batch * co), 256, x, weight, y, ci, co, w, ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare("064_conv_transposed_1D", y, [&](size_t i) { return want[i]; });
}
