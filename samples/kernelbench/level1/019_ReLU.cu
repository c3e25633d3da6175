// KernelBench level 1, problem 19: ReLU of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void relu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaxf(x[i], 0.0f);
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 19, -4, 4);
    floats y(n);
    LAUNCH(relu, ceildiv(n, 256), 256, x, y, n);
    return compare("019_ReLU", y, [&](size_t i) {
        double v = x[i];
        return v > 0 ? v : 0;
    });
}
