// KernelBench level 1, problem 20: LeakyReLU of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void leaky_relu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = v > 0.0f ? v : 0.01f * v;
    }
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 20, -4, 4);
    floats y(n);
    LAUNCH(leaky_relu, ceildiv(n, 256), 256, x, y, n);
    return compare("020_LeakyReLU", y, [&](size_t i) {
        double v = x[i];
        return v > 0 ? v : 0.01 * v;
    });
}
