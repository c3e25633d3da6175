// KernelBench level 1, problem 3: 128 products of 512 x 1024 and 1024 x 2048.
#include "../port.h"

// flop: 2*batch*m*n*k
#pragma ks optimize
#pragma ks workload let(batch=128) let(m=512) let(n=2048) let(k=1024) \
    in(a[batch*m*k]=uniform(-1,1)) in(b[batch*k*n]=uniform(-1,1)) out(c[batch*m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16),batch) block(16,16)
__global__ void batched_product(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    a += blockIdx.z * m * k;
    b += blockIdx.z * k * n;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[(blockIdx.z * m + row) * n + col] = sum;
}

int main()
{
    need_gpu();
    int batch = 3, m = 18, n = 20, k = 30;
    random_floats a(batch * m * k, 3), b(batch * k * n, 300);
    floats c(batch * m * n);
    LAUNCH(batched_product, dim3(ceildiv(n, 16), ceildiv(m, 16), batch), dim3(16, 16), a, b, c, m,
           n, k);
    return compare("003_Batched_matrix_multiplication", c, [&](size_t at) {
        int which = at / (m * n), row = at / n % m, col = at % n;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[(which * m + row) * k + i] * b[(which * k + i) * n + col];
        return sum;
    });
}
