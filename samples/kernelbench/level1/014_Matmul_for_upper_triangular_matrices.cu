// KernelBench level 1, problem 14: product of two upper triangular 4096 x 4096 matrices, zeros
// below.
#include "../port.h"

// flop: n*n*n/3
#pragma ks optimize
#pragma ks workload let(n=4096) in(a[n*n]=uniform(-1,1)) in(b[n*n]=uniform(-1,1)) out(c[n*n]) \
    grid(ceildiv(n,16),ceildiv(n,16)) block(16,16)
__global__ void upper_product(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0.0f;
    for (int i = row; i <= col; i++) // the other products have a zero
        sum += a[row * n + i] * b[i * n + col];
    c[row * n + col] = sum;
}

int main()
{
    need_gpu();
    int n = 37;
    random_floats a(n * n, 14), b(n * n, 1400);
    for (int row = 0; row < n; row++)
        for (int col = 0; col < n; col++)
            if (row > col)
                a[row * n + col] = b[row * n + col] = 0;
    floats c(n * n);
    LAUNCH(upper_product, dim3(ceildiv(n, 16), ceildiv(n, 16)), dim3(16, 16), a, b, c, n);
    return compare("014_Matmul_for_upper_triangular_matrices", c, [&](size_t at) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += (double)a[at / n * n + i] * b[i * n + at % n];
        return sum;
    });
}
