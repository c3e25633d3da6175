// KernelBench level 1, problem 86: depthwise 3 x 3 with padding 1, then 1 x 1: batch 16, 64 to 128
// channels, 512 x 512.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=64) let(h=512) let(w=512) \
    in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[ci*9]=uniform(-1,1)) out(y[batch*ci*h*w]) \
    grid(ceildiv(w,32),ceildiv(h,8),batch*ci) block(32,8)
__global__ void depthwise_padded(const float *x, const float *weight, float *y, int ci, int h,
                                 int w)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z, c = plane % ci;
    if (px >= w || py >= h)
        return;
    float sum = 0.0f;
    for (int ty = 0; ty < 3; ty++)
        for (int tx = 0; tx < 3; tx++) {
            int iy = py - 1 + ty, ix = px - 1 + tx;
            if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                sum += x[(plane * h + iy) * w + ix] * weight[(c * 3 + ty) * 3 + tx];
        }
    y[(plane * h + py) * w + px] = sum;
}

// flop: 2*batch*ci*co*pixels
#pragma ks optimize
#pragma ks workload let(batch=16) let(ci=64) let(co=128) let(pixels=262144) \
    in(x[batch*ci*pixels]=uniform(-1,1)) in(weight[ci*co]=uniform(-1,1)) out(y[batch*co*pixels]) \
    grid(ceildiv(pixels,256),batch*co) block(256)
__global__ void pointwise(const float *x, const float *weight, float *y, int ci, int co, int pixels)
{
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y / co, o = blockIdx.y % co;
    if (pixel >= pixels)
        return;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        sum += x[(n * ci + c) * pixels + pixel] * weight[o * ci + c];
    y[(n * co + o) * pixels + pixel] = sum;
}

int main()
{
    need_gpu();
    int batch = 2, ci = 3, co = 5, h = 9, w = 35, pixels = h * w;
    random_floats x(batch * ci * pixels, 86), deep(ci * 9, 860), wide(ci * co, 861);
    floats between(batch * ci * pixels), y(batch * co * pixels);
    LAUNCH(depthwise_padded, dim3(ceildiv(w, 32), ceildiv(h, 8), batch * ci), dim3(32, 8), x, deep,
           between, ci, h, w);
    LAUNCH(pointwise, dim3(ceildiv(pixels, 256), batch * co), 256, between, wide, y, ci, co,
           pixels);
    conv_shape s = {batch,     ci,        ci,        {1, h, w}, {1, 3, 3},
                    {1, h, w}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}, ci};
    std::vector<double> first = conv_wanted(s, x, deep);
    return compare("086_conv_depthwise_separable_2D", y, [&](size_t at) {
        int n = at / pixels / co, o = at / pixels % co, pixel = at % pixels;
        double sum = 0;
        for (int c = 0; c < ci; c++)
            sum += first[(n * ci + c) * pixels + pixel] * wide[o * ci + c];
        return sum;
    });
}
