// KernelBench level 1, problem 25: Swish of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void swish(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = v / (1.0f + expf(-v));
    }
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 25, -4, 4);
    floats y(n);
    LAUNCH(swish, ceildiv(n, 256), 256, x, y, n);
    return compare("025_Swish", y, [&](size_t i) {
        double v = x[i];
        return v / (1 + std::exp(-v));
    });
}
