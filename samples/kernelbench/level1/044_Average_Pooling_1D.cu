// KernelBench level 1, problem 44: mean of 8, padded by 4, stride 1: 64 x 128 x 65536; padding
// counts.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(planes=8192) let(length=65536) in(x[planes*length]=uniform(-1,1)) \
    out(y[planes*(length+1)]) grid(ceildiv(length+1,256),planes) block(256)
__global__ void average_pool1(const float *x, float *y, int length)
{
    const int kernel = 8, pad = 4;
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o > length)
        return;
    x += blockIdx.y * length;
    float sum = 0.0f;
    for (int k = 0; k < kernel; k++) {
        int i = o - pad + k;
        if (i >= 0 && i < length)
            sum += x[i];
    }
    y[blockIdx.y * (length + 1) + o] = sum / kernel;
}

int main()
{
    need_gpu();
    int planes = 3, length = 270;
    random_floats x(planes * length, 44);
    floats y(planes * (length + 1));
    LAUNCH(average_pool1, dim3(ceildiv(length + 1, 256), planes), 256, x, y, length);
    return compare("044_Average_Pooling_1D", y, [&](size_t at) {
        int plane = at / (length + 1), o = at % (length + 1);
        double sum = 0;
        for (int i = std::max(o - 4, 0); i < std::min(o + 4, length); i++)
            sum += x[plane * length + i];
        return sum / 8;
    });
}
