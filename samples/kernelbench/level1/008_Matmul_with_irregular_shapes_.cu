// KernelBench level 1, problem 8: C = A B with A 8205 x 2949 and B 2949 x 5921.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=8205) let(n=5921) let(k=2949) in(a[m*k]=uniform(-1,1)) \
    in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void odd_product(const float *a, const float *b, float *c, int m, int n, int k)
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
    int m = 37, n = 45, k = 29;
    random_floats a(m * k, 8), b(k * n, 800);
    floats c(m * n);
    LAUNCH(odd_product, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), a, b, c, m, n, k);
    return compare("008_Matmul_with_irregular_shapes_", c, [&](size_t at) {
        int row = at / n, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[i * n + col];
        return sum;
    });
}
