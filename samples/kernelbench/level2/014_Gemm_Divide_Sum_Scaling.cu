// KernelBench level 2, problem 14: a matrix product, 1024 rows, 8192 to 8192; halved, summed over
// the row, times 1.5. A sum over the columns of the weight would do; here it is done as it is said.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) \
    block(16,16)
__global__ void product_halved(const float *x, const float *weight, float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = 0.0f;
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v /= 2.0f;
    y[row * n + col] = v;
}

#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) in(v[m*n]=uniform(-1,1)) out(y[m]) grid(m) block(256)
__global__ void row_sums_scaled(const float *v, float *y, int n)
{
    v += (size_t)blockIdx.x * n;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += v[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum * 1.5f;
}

int main()
{
    need_gpu();
    int m = 5, n = 300, k = 30;
    random_floats x(m * k, 14), weight(n * k, 1400, -0.4, 0.4);
    floats between(m * n), y(m);
    LAUNCH(product_halved, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, between,
           m, n, k);
    LAUNCH(row_sums_scaled, m, 256, between, y, n);
    auto product = [&](size_t row, int col) {
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    return compare("014_Gemm_Divide_Sum_Scaling", y, [&](size_t row) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double v = product(row, i);
            sum += v / 2;
        }
        return sum * 1.5;
    });
}
