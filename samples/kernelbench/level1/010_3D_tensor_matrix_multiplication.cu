// KernelBench level 1, problem 10: a 16 x 1024 x 2048 tensor times a 2048 x 768 matrix: the first
// two dimensions are one.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(batch=16) let(rows=1024) let(m=batch*rows) let(n=768) let(k=2048) \
    in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void tensor3_product(const float *a, const float *b, float *c, int m, int n, int k)
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
    int m = 33, n = 20, k = 30;
    random_floats a(m * k, 10), b(k * n, 1000);
    floats c(m * n);
    LAUNCH(tensor3_product, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), a, b, c, m, n, k);
    return compare("010_3D_tensor_matrix_multiplication", c, [&](size_t at) {
        int row = at / n, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[i * n + col];
        return sum;
    });
}
