// KernelBench level 1, problem 79: transposed, batch 16, 32 to 64 channels, 131072, kernel 3,
// stride 2, padding 1, dilation 2.
#include "../port.h"

// flop: 2*batch*ci*co*w*3
#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=32) let(co=64) let(w=131072) let(ow=w*2+1) \
    in(x[batch*ci*w]=uniform(-1,1)) in(weight[ci*co*3]=uniform(-1,1)) out(y[batch*co*ow]) \
    grid(ceildiv(ow,256),batch*co) block(256)
__global__ void conv_back_3_dilated(const float *x, const float *weight, float *y, int ci, int co,
                                    int w, int ow)
{
    const int kw = 3, stride = 2, pad = 1, dilation = 2;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int plane = blockIdx.y;
    if (px >= ow)
        return;
    int n = plane / co, o = plane % co;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int tx = 0; tx < kw; tx++) {
            int ix = px + pad - tx * dilation;
            if (ix % stride == 0 && ix >= 0 && ix / stride < w)
                sum += x[(n * ci + c) * w + ix / stride] * weight[(c * co + o) * kw + tx];
        }
    y[plane * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {1, 1, 4}, {1, 1, 3}, {1, 1, 9}, {1, 1, 2}, {0, 0, 1}, {1, 1, 2}};
    int batch = s.batch, ci = s.ci, co = s.co, w = s.in[2], ow = s.out[2];
    random_floats x(batch * ci * w, 79), weight(ci * co * 3, 7900);
    floats y(batch * co * ow);
    LAUNCH(conv_back_3_dilated, dim3(ceildiv(ow, 256), batch * co), 256, x, weight, y, ci, co, w,
           ow);
    std::vector<double> want = conv_transposed_wanted(s, x, weight);
    return compare(
        "079_conv_transposed_1D_asymmetric_input_square_kernel___padded____strided____dilated__", y,
        [&](size_t i) { return want[i]; });
}
