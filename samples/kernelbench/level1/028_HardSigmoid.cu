// KernelBench level 1, problem 28: HardSigmoid of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void hard_sigmoid(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fminf(fmaxf(x[i] / 6.0f + 0.5f, 0.0f), 1.0f);
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 28, -4, 4);
    floats y(n);
    LAUNCH(hard_sigmoid, ceildiv(n, 256), 256, x, y, n);
    return compare("028_HardSigmoid", y, [&](size_t i) {
        double v = x[i];
        return v <= -3 ? 0 : v >= 3 ? 1 : (v + 3) / 6;
    });
}
