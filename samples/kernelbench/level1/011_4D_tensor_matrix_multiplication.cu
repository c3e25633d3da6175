// KernelBench level 1, problem 11: einsum bijl,lk->bijk of 8 x 256 x 512 x 256 and 256 x 768.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1048576) let(n=768) let(k=256) in(a[m*k]=uniform(-1,1)) \
    in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,32),ceildiv(m,32)) block(32,32)
__global__ void tensor4_product(const float *a, const float *b, float *c, int m, int n, int k)
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
    int m = 42, n = 20, k = 30;
    random_floats a(m * k, 11), b(k * n, 1100);
    floats c(m * n);
    LAUNCH(tensor4_product, dim3(ceildiv(n, 32), ceildiv(m, 32)), dim3(32, 32), a, b, c, m, n, k);
    return compare("011_4D_tensor_matrix_multiplication", c, [&](size_t at) {
        int row = at / n, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[i * n + col];
        return sum;
    });
}
