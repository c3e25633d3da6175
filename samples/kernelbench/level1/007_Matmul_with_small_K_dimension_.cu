// KernelBench level 1, problem 7: C = A B, 32768 x 32768 with K = 64.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=32768) let(n=32768) let(k=64) in(a[m*k]=uniform(-1,1)) \
    in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void shallow_product(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

int main()
{
    need_gpu();
    int m = 50, n = 40, k = 8;
    random_floats a(m * k, 7), b(k * n, 700);
    floats c(m * n);
    LAUNCH(shallow_product, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), a, b, c, m, n, k);
    return compare("007_Matmul_with_small_K_dimension_", c, [&](size_t at) {
        int row = at / n, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[i * n + col];
        return sum;
    });
}
