// KernelBench level 1, problem 4: 256 x 131072 times a vector.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(m=256) let(k=131072) in(a[m*k]=uniform(-1,1)) in(b[k]=uniform(-1,1)) \
    out(c[m]) grid(m) block(256)
__global__ void matrix_vector_product(const float *a, const float *b, float *c, int k)
{
    int row = blockIdx.x;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < k; i += blockDim.x)
        sum += a[row * k + i] * b[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        c[row] = sum;
}

int main()
{
    need_gpu();
    int m = 5, k = 1000;
    random_floats a(m * k, 4), b(k, 400);
    floats c(m);
    LAUNCH(matrix_vector_product, m, 256, a, b, c, k);
    return compare("004_Matrix_vector_multiplication_", c, [&](size_t row) {
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a[row * k + i] * b[i];
        return sum;
    });
}
