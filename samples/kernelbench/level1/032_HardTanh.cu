// KernelBench level 1, problem 32: HardTanh of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void hard_tanh(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fminf(fmaxf(x[i], -1.0f), 1.0f);
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 32, -4, 4);
    floats y(n);
    LAUNCH(hard_tanh, ceildiv(n, 256), 256, x, y, n);
    return compare("032_HardTanh", y, [&](size_t i) {
        double v = x[i];
        return v < -1 ? -1 : v > 1 ? 1 : v;
    });
}
