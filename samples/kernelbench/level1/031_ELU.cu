// KernelBench level 1, problem 31: ELU of 16 x 16384 elements.
// Sizes of the benchmark's first release; the current ones take 13 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void elu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = v > 0.0f ? v : expm1f(v);
    }
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats x(n, 31, -4, 4);
    floats y(n);
    LAUNCH(elu, ceildiv(n, 256), 256, x, y, n);
    return compare("031_ELU", y, [&](size_t i) {
        double v = x[i];
        return v > 0 ? v : std::exp(v) - 1;
    });
}
