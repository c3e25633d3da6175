// KernelBench level 1, problem 76: batch 16, 3 to 64 channels, 256, kernel 3, stride 3, dilation 4.
// Sizes of the benchmark's first release; the current ones take 14 GB.
#include "../port.h"

// flop: 2*batch*ci*co*ow*3
#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=3) let(co=64) let(w=256) let(ow=(w-9)/3+1) \
    in(x[batch*ci*w]=uniform(-1,1)) in(weight[ci*co*3]=uniform(-1,1)) out(y[batch*co*ow]) \
    grid(ceildiv(ow,256),batch*co) block(256)
__global__ void conv_3_dilated(const float *x, const float *weight, float *y, int ci, int co, int w,
                               int ow)
{
    const int kw = 3, stride = 3, dilation = 4;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int plane = blockIdx.y;
    if (px >= ow)
        return;
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int tx = 0; tx < kw; tx++)
            sum +=
                x[(n * ci + c) * w + px * stride + tx * dilation] * weight[(o * ci + c) * kw + tx];
    y[plane * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 1, 15}, {1, 1, 3}, {1, 1, 3}, {1, 1, 3}, {0, 0, 0}, {1, 1, 4}};
    int batch = s.batch, ci = s.ci, co = s.co, w = s.in[2], ow = s.out[2];
    random_floats x(batch * ci * w, 76), weight(ci * co * 3, 7600);
    floats y(batch * co * ow);
    LAUNCH(conv_3_dilated, dim3(ceildiv(ow, 256), batch * co), 256, x, weight, y, ci, co, w, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("076_conv_standard_1D_dilated_strided__", y, [&](size_t i) { return want[i]; });
}
