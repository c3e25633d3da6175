// KernelBench level 1, problem 42: largest of 4 x 4, padded by 1, stride 1: 32 x 64 x 512 x 512.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(planes=2048) let(h=512) let(w=512) in(x[planes*h*w]=uniform(-1,1)) \
    out(y[planes*(h-1)*(w-1)]) grid(ceildiv(w-1,32),ceildiv(h-1,8),planes) block(32,8)
__global__ void max_pool2(const float *x, float *y, int h, int w)
{
    const int kernel = 4, pad = 1;
    int out_w = w - 1, out_h = h - 1;
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= out_w || oy >= out_h)
        return;
    x += blockIdx.z * h * w;
    float best = -INFINITY;
    for (int ky = 0; ky < kernel; ky++)
        for (int kx = 0; kx < kernel; kx++) {
            int iy = oy - pad + ky, ix = ox - pad + kx;
            if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                best = fmaxf(best, x[iy * w + ix]);
        }
    y[(blockIdx.z * out_h + oy) * out_w + ox] = best;
}

int main()
{
    need_gpu();
    int planes = 2, h = 19, w = 40;
    random_floats x(planes * h * w, 42);
    floats y(planes * (h - 1) * (w - 1));
    LAUNCH(max_pool2, dim3(ceildiv(w - 1, 32), ceildiv(h - 1, 8), planes), dim3(32, 8), x, y, h, w);
    return compare("042_Max_Pooling_2D", y, [&](size_t at) {
        int plane = at / ((h - 1) * (w - 1)), oy = at / (w - 1) % (h - 1), ox = at % (w - 1);
        float best = -INFINITY;
        for (int iy = std::max(oy - 1, 0); iy < std::min(oy + 3, h); iy++)
            for (int ix = std::max(ox - 1, 0); ix < std::min(ox + 3, w); ix++)
                best = std::max(best, x[(plane * h + iy) * w + ix]);
        return best;
    });
}
