// KernelBench level 1, problem 67: batch 32, 64 to 128 channels, 131072, kernel 3.
#include "../port.h"

// flop: 2*batch*ci*co*ow*3
#pragma ks optimize
#pragma ks workload let(batch=32) let(ci=64) let(co=128) let(w=131072) let(ow=w-2) \
    in(x[batch*ci*w]=uniform(-1,1)) in(weight[ci*co*3]=uniform(-1,1)) out(y[batch*co*ow]) \
    grid(ceildiv(ow,256),batch*co) block(256)
__global__ void conv_3(const float *x, const float *weight, float *y, int ci, int co, int w, int ow)
{
    const int kw = 3;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int plane = blockIdx.y;
    if (px >= ow)
        return;
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int tx = 0; tx < kw; tx++)
            sum += x[(n * ci + c) * w + px + tx] * weight[(o * ci + c) * kw + tx];
    y[plane * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 1, 6}, {1, 1, 3}, {1, 1, 4}};
    int batch = s.batch, ci = s.ci, co = s.co, w = s.in[2], ow = s.out[2];
    random_floats x(batch * ci * w, 67), weight(ci * co * 3, 6700);
    floats y(batch * co * ow);
    LAUNCH(conv_3, dim3(ceildiv(ow, 256), batch * co), 256, x, weight, y, ci, co, w, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("067_conv_standard_1D", y, [&](size_t i) { return want[i]; });
}
