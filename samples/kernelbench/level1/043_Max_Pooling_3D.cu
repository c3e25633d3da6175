// KernelBench level 1, problem 43: largest of 3 x 3 x 3, 3 apart, padded by 1, stride 2: 16 x 32 x
// 128 x 128 x 128.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(planes=512) let(d=128) let(h=128) let(w=128) let(od=(d-5)/2+1) \
    let(oh=(h-5)/2+1) let(ow=(w-5)/2+1) in(x[planes*d*h*w]=uniform(-1,1)) out(y[planes*od*oh*ow]) \
    grid(ceildiv(planes*od*oh*ow,256)) block(256)
__global__ void max_pool3(const float *x, float *y, int planes, int d, int h, int w, int od, int oh,
                          int ow)
{
    const int kernel = 3, stride = 2, pad = 1, dilation = 3;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * od * oh * ow)
        return;
    int px = i % ow, py = i / ow % oh, pz = i / (ow * oh) % od, plane = i / (ow * oh * od);
    float best = -INFINITY;
    for (int kz = 0; kz < kernel; kz++)
        for (int ky = 0; ky < kernel; ky++)
            for (int kx = 0; kx < kernel; kx++) {
                int iz = pz * stride - pad + kz * dilation;
                int iy = py * stride - pad + ky * dilation;
                int ix = px * stride - pad + kx * dilation;
                if (iz >= 0 && iz < d && iy >= 0 && iy < h && ix >= 0 && ix < w)
                    best = fmaxf(best, x[((plane * d + iz) * h + iy) * w + ix]);
            }
    y[i] = best;
}

int main()
{
    need_gpu();
    int planes = 2, d = 9, h = 11, w = 14, od = 3, oh = 4, ow = 5;
    random_floats x(planes * d * h * w, 43);
    floats y(planes * od * oh * ow);
    LAUNCH(max_pool3, ceildiv(planes * od * oh * ow, 256), 256, x, y, planes, d, h, w, od, oh, ow);
    return compare("043_Max_Pooling_3D", y, [&](size_t at) {
        int px = at % ow, py = at / ow % oh, pz = at / (ow * oh) % od, plane = at / (ow * oh * od);
        float best = -INFINITY;
        for (int z = 0; z < d; z++)
            for (int y = 0; y < h; y++)
                for (int x1 = 0; x1 < w; x1++) {
                    int kz = z + 1 - 2 * pz, ky = y + 1 - 2 * py, kx = x1 + 1 - 2 * px;
                    bool in = kz >= 0 && ky >= 0 && kx >= 0 && kz <= 6 && ky <= 6 && kx <= 6;
                    if (in && kz % 3 == 0 && ky % 3 == 0 && kx % 3 == 0)
                        best = std::max(best, x[((plane * d + z) * h + y) * w + x1]);
                }
        return best;
    });
}
