// KernelBench level 1, problem 5: a matrix of 16384 x 4096 times a number.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(n=67108864) set(s=3.14) in(a[n]=uniform(-1,1)) out(c[n]) \
    grid(ceildiv(n,256)) block(256)
__global__ void scale(const float *a, float s, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] * s;
}

int main()
{
    need_gpu();
    int n = 1000;
    random_floats a(n, 5);
    floats c(n);
    LAUNCH(scale, ceildiv(n, 256), 256, a, 3.14f, c, n);
    return compare("005_Matrix_scalar_multiplication", c, [&](size_t i) { return a[i] * 3.14; });
}
