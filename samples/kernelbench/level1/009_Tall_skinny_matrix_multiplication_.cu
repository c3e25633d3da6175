// KernelBench level 1, problem 9: C = A B with A 32768 x 32 and B 32 x 32768.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=32768) let(n=32768) let(k=32) in(a[m*k]=uniform(-1,1)) \
    in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void tall_product(const float *a, const float *b, float *c, int m, int n, int k)
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
    int m = 50, n = 60, k = 5;
    random_floats a(m * k, 9), b(k * n, 900);
    floats c(m * n);
    LAUNCH(tall_product, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), a, b, c, m, n, k);
    return compare("009_Tall_skinny_matrix_multiplication_", c, [&](size_t at) {
        int row = at / n, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[i * n + col];
        return sum;
    });
}
