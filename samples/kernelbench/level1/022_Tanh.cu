// KernelBench level 1, problem 22: Tanh of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void hyperbolic_tangent(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tanhf(x[i]);
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 22, -4, 4);
    floats y(n);
    LAUNCH(hyperbolic_tangent, ceildiv(n, 256), 256, x, y, n);
    return compare("022_Tanh", y, [&](size_t i) {
        double v = x[i];
        return std::tanh(v);
    });
}
