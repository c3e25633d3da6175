// KernelBench level 1, problem 27: SELU of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void selu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = 1.05070099f * (v > 0.0f ? v : 1.67326324f * (expf(v) - 1.0f));
    }
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 27, -4, 4);
    floats y(n);
    LAUNCH(selu, ceildiv(n, 256), 256, x, y, n);
    return compare("027_SELU_", y, [&](size_t i) {
        double v = x[i];
        return 1.0507009873554805 * (v > 0 ? v : 1.6732632423543772 * std::expm1(v));
    });
}
