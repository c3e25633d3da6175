// KernelBench level 1, problem 12: diag(A) B: row i of the 4096 x 4096 matrix B times A[i].
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(m=4096) let(n=4096) in(a[m]=uniform(-1,1)) in(b[m*n]=uniform(-1,1)) \
    out(c[m*n]) grid(ceildiv(n,256),m) block(256)
__global__ void diagonal_product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < n)
        c[row * n + col] = a[row] * b[row * n + col];
}

int main()
{
    need_gpu();
    int m = 7, n = 300;
    random_floats a(m, 12), b(m * n, 1200);
    floats c(m * n);
    LAUNCH(diagonal_product, dim3(ceildiv(n, 256), m), 256, a, b, c, n);
    return compare("012_Matmul_with_diagonal_matrices_", c,
                   [&](size_t i) { return (double)a[i / n] * b[i]; });
}
