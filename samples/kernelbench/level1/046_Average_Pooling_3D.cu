// KernelBench level 1, problem 46: mean of 3 x 3 x 3, padded by 1, stride 2: 16 x 32 x 64 x 64 x
// 64; padding counts. Sizes of the benchmark's first release; the current ones take 9.7 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(planes=512) let(d=64) let(h=64) let(w=64) let(od=(d-1)/2+1) \
    let(oh=(h-1)/2+1) let(ow=(w-1)/2+1) in(x[planes*d*h*w]=uniform(-1,1)) out(y[planes*od*oh*ow]) \
    grid(ceildiv(planes*od*oh*ow,256)) block(256)
__global__ void average_pool3(const float *x, float *y, int planes, int d, int h, int w, int od,
                              int oh, int ow)
{
    const int kernel = 3, stride = 2, pad = 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * od * oh * ow)
        return;
    int px = i % ow, py = i / ow % oh, pz = i / (ow * oh) % od, plane = i / (ow * oh * od);
    float sum = 0.0f;
    for (int kz = 0; kz < kernel; kz++)
        for (int ky = 0; ky < kernel; ky++)
            for (int kx = 0; kx < kernel; kx++) {
                int iz = pz * stride - pad + kz, iy = py * stride - pad + ky,
                    ix = px * stride - pad + kx;
                if (iz >= 0 && iz < d && iy >= 0 && iy < h && ix >= 0 && ix < w)
                    sum += x[((plane * d + iz) * h + iy) * w + ix];
            }
    y[i] = sum / (kernel * kernel * kernel);
}

int main()
{
    need_gpu();
    int planes = 2, d = 5, h = 8, w = 13, od = 3, oh = 4, ow = 7;
    random_floats x(planes * d * h * w, 46);
    floats y(planes * od * oh * ow);
    LAUNCH(average_pool3, ceildiv(planes * od * oh * ow, 256), 256, x, y, planes, d, h, w, od, oh,
           ow);
    return compare("046_Average_Pooling_3D", y, [&](size_t at) {
        int px = at % ow, py = at / ow % oh, pz = at / (ow * oh) % od, plane = at / (ow * oh * od);
        double sum = 0;
        for (int iz = std::max(2 * pz - 1, 0); iz < std::min(2 * pz + 2, d); iz++)
            for (int iy = std::max(2 * py - 1, 0); iy < std::min(2 * py + 2, h); iy++)
                for (int ix = std::max(2 * px - 1, 0); ix < std::min(2 * px + 2, w); ix++)
                    sum += x[((plane * d + iz) * h + iy) * w + ix];
        return sum / 27;
    });
}
