// KernelBench level 2, problem 32: 3 x 3 convolution, batch 64, 64 to 128 channels, 256 x 256; then
// times 2, least of the channels.
#include "../port.h"

// flop: 2*batch*ci*co*oh*ow*9
#pragma ks optimize
#pragma ks workload let(batch=64) let(ci=64) let(co=128) let(h=256) let(w=256) let(oh=h-2) \
    let(ow=w-2) in(x[batch*ci*h*w]=uniform(-1,1)) in(weight[co*ci*9]=uniform(-0.042,0.042)) \
    in(bias[co]=uniform(-0.042,0.042)) out(y[batch*co*oh*ow]) \
    grid(ceildiv(ow,32),ceildiv(oh,8),batch*co) block(32,8)
__global__ void conv_scale(const float *x, const float *weight, const float *bias, float *y, int ci,
                           int co, int h, int w, int oh, int ow)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (px >= ow || py >= oh)
        return;
    int n = plane / co, o = plane % co;
    float v = bias[o];
    for (int c = 0; c < ci; c++)
        for (int ty = 0; ty < 3; ty++)
            for (int tx = 0; tx < 3; tx++)
                v += x[((n * ci + c) * h + py + ty) * w + px + tx] *
                     weight[((o * ci + c) * 3 + ty) * 3 + tx];
    v *= 2.0f;
    y[(plane * oh + py) * ow + px] = v;
}

#pragma ks optimize
#pragma ks workload let(batch=64) let(co=128) let(pixels=64516) \
    in(v[batch*co*pixels]=uniform(-1,1)) out(y[batch*pixels]) grid(ceildiv(pixels,256),batch) \
    block(256)
__global__ void least_of_channels(const float *v, float *y, int co, int pixels)
{
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= pixels)
        return;
    v += blockIdx.y * co * pixels + pixel;
    float least = v[0];
    for (int c = 1; c < co; c++)
        least = fminf(least, v[c * pixels]);
    y[blockIdx.y * pixels + pixel] = least;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 5, {1, 11, 37}, {1, 3, 3}, {1, 9, 35}};
    int batch = s.batch, ci = s.ci, co = s.co, h = s.in[1], w = s.in[2], oh = s.out[1],
        ow = s.out[2];
    int pixels = oh * ow;
    random_floats x(batch * ci * h * w, 32), weight(co * ci * 9, 3200), bias(co, 3201);
    floats between(batch * co * pixels), y(batch * pixels);
    LAUNCH(conv_scale, dim3(ceildiv(ow, 32), ceildiv(oh, 8), batch * co), dim3(32, 8), x, weight,
           bias, between, ci, co, h, w, oh, ow);
    LAUNCH(least_of_channels, dim3(ceildiv(pixels, 256), batch), 256, between, y, co, pixels);
    std::vector<double> wanted = conv_wanted(s, x, weight);
    return compare("032_Conv2d_Scaling_Min", y, [&](size_t at) {
        double least = INFINITY;
        for (int o = 0; o < co; o++)
            least = std::fmin(
                least, 2 * (wanted[(at / pixels * co + o) * pixels + at % pixels] + bias[o]));
        return least;
    });
}
