// KernelBench level 1, problem 17: C = A B'; A is stored as 2048 x 8192, B as 4096 x 8192.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=2048) let(n=4096) let(k=8192) in(a[m*k]=uniform(-1,1)) \
    in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void product_tb(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[col * k + i];
    c[row * n + col] = sum;
}

int main()
{
    need_gpu();
    int m = 37, n = 45, k = 29;
    random_floats a(m * k, 17), b(k * n, 1700);
    floats c(m * n);
    LAUNCH(product_tb, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), a, b, c, m, n, k);
    return compare("017_Matmul_with_transposed_B", c, [&](size_t at) {
        int row = at / n, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[col * k + i];
        return sum;
    });
}
