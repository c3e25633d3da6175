// KernelBench level 1, problem 6: C = A B, 256 x 256 with K = 524288.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=256) let(n=256) let(k=524288) in(a[m*k]=uniform(-1,1)) \
    in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void deep_product(const float *a, const float *b, float *c, int m, int n, int k)
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
    int m = 17, n = 18, k = 200;
    random_floats a(m * k, 6), b(k * n, 600);
    floats c(m * n);
    LAUNCH(deep_product, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), a, b, c, m, n, k);
    return compare("006_Matmul_with_large_K_dimension_", c, [&](size_t at) {
        int row = at / n, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[i * n + col];
        return sum;
    });
}
