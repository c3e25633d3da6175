// KernelBench level 1, problem 85: depthwise, batch 32, 128 channels, 128 x 256, kernel 3 x 7.
#include "../port.h"

// flop: 2*batch*channels*oh*ow*3*7
#pragma ks optimize
#pragma ks workload let(batch=32) let(channels=128) let(h=128) let(w=256) let(oh=h-2) let(ow=w-6) \
    in(x[batch*channels*h*w]=uniform(-1,1)) in(weight[channels*3*7]=uniform(-1,1)) \
    out(y[batch*channels*oh*ow]) grid(ceildiv(ow,32),ceildiv(oh,8),batch*channels) block(32,8)
__global__ void depthwise_3x7(const float *x, const float *weight, float *y, int channels, int h,
                              int w, int oh, int ow)
{
    const int kh = 3, kw = 7;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (px >= ow || py >= oh)
        return;
    int c = plane % channels;
    float sum = 0.0f;
    for (int ty = 0; ty < kh; ty++)
        for (int tx = 0; tx < kw; tx++)
            sum += x[(plane * h + py + ty) * w + px + tx] * weight[(c * kh + ty) * kw + tx];
    y[(plane * oh + py) * ow + px] = sum;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 3, {1, 6, 10}, {1, 3, 7}, {1, 4, 4}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 3};
    int batch = s.batch, channels = s.ci, h = s.in[1], w = s.in[2], oh = s.out[1], ow = s.out[2];
    random_floats x(batch * channels * h * w, 85), weight(channels * 3 * 7, 8500);
    floats y(batch * channels * oh * ow);
    LAUNCH(depthwise_3x7, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * channels), dim3(32, 8), x,
           weight, y, channels, h, w, oh, ow);
    std::vector<double> want = conv_wanted(s, x, weight);
    return compare("085_conv_depthwise_2D_asymmetric_input_asymmetric_kernel", y,
                   [&](size_t i) { return want[i]; });
}
