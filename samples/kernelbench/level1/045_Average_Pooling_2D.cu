// KernelBench level 1, problem 45: mean of 3 x 3, stride 3: 16 x 64 x 256 x 256.
// Sizes of the benchmark's first release; the current ones take 17 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(planes=1024) let(h=256) let(w=256) in(x[planes*h*w]=uniform(-1,1)) \
    out(y[planes*(h/3)*(w/3)]) grid(ceildiv(w/3,32),ceildiv(h/3,8),planes) block(32,8)
__global__ void average_pool2(const float *x, float *y, int h, int w)
{
    const int kernel = 3;
    int oh = h / kernel, ow = w / kernel;
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= ow || oy >= oh)
        return;
    x += (blockIdx.z * h + oy * kernel) * w + ox * kernel;
    float sum = 0.0f;
    for (int ky = 0; ky < kernel; ky++)
        for (int kx = 0; kx < kernel; kx++)
            sum += x[ky * w + kx];
    y[(blockIdx.z * oh + oy) * ow + ox] = sum / (kernel * kernel);
}

int main()
{
    need_gpu();
    int planes = 2, h = 28, w = 106;
    random_floats x(planes * h * w, 45);
    floats y(planes * (h / 3) * (w / 3));
    LAUNCH(average_pool2, dim3(ceildiv(w / 3, 32), ceildiv(h / 3, 8), planes), dim3(32, 8), x, y, h,
           w);
    return compare("045_Average_Pooling_2D", y, [&](size_t at) {
        int plane = at / ((h / 3) * (w / 3)), oy = at / (w / 3) % (h / 3), ox = at % (w / 3);
        double sum = 0;
        for (int k = 0; k < 9; k++)
            sum += x[(plane * h + oy * 3 + k / 3) * w + ox * 3 + k % 3];
        return sum / 9;
    });
}
