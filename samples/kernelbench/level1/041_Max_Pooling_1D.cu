// KernelBench level 1, problem 41: largest of 8, 3 apart, padded by 4, stride 1: 64 x 192 x 65536.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(planes=12288) let(length=65536) let(out=length-13) \
    in(x[planes*length]=uniform(-1,1)) out(y[planes*out]) grid(ceildiv(out,256),planes) block(256)
__global__ void max_pool1(const float *x, float *y, int length, int out)
{
    const int kernel = 8, pad = 4, dilation = 3;
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= out)
        return;
    x += blockIdx.y * length;
    float best = -INFINITY;
    for (int k = 0; k < kernel; k++) {
        int i = o - pad + k * dilation;
        if (i >= 0 && i < length)
            best = fmaxf(best, x[i]);
    }
    y[blockIdx.y * out + o] = best;
}

int main()
{
    need_gpu();
    int planes = 3, length = 300, out = length - 13;
    random_floats x(planes * length, 41);
    floats y(planes * out);
    LAUNCH(max_pool1, dim3(ceildiv(out, 256), planes), 256, x, y, length, out);
    return compare("041_Max_Pooling_1D", y, [&](size_t at) {
        int plane = at / out, first = (int)(at % out) - 4;
        float best = -INFINITY;
        for (int i = first; i <= first + 21; i += 3)
            if (i >= 0 && i < length && x[plane * length + i] > best)
                best = x[plane * length + i];
        return best;
    });
}
