// KernelBench level 1, problem 88: GELU by its tanh formula, 8192 x 8192 elements.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=67108864) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) \
    block(256)
__global__ void new_gelu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
    }
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 88, -4, 4);
    floats y(n);
    LAUNCH(new_gelu, ceildiv(n, 256), 256, x, y, n);
    return compare("088_MinGPTNewGelu", y, [&](size_t i) {
        double v = x[i];
        return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * std::pow(v, 3))));
    });
}
