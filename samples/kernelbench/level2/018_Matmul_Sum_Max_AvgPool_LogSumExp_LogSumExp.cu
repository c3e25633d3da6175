// KernelBench level 2, problem 18: linear layer, 1024 rows, 8192 to 8192 features; then summed over
// the row. The largest, the mean and the logarithm of the summed exponentials of that one number
// are the number.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_plain(const float *x, const float *weight, const float *bias, float *y,
                             int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    y[row * n + col] = v;
}

#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) in(v[m*n]=uniform(-1,1)) out(y[m]) grid(m) block(256)
__global__ void row_sums(const float *v, float *y, int n)
{
    v += (size_t)blockIdx.x * n;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += v[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

int main()
{
    need_gpu();
    int m = 5, n = 300, k = 30;
    random_floats x(m * k, 18), weight(n * k, 1800, -0.4, 0.4), bias(n, 1801);
    floats between(m * n), y(m);
    LAUNCH(linear_plain, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           between, m, n, k);
    LAUNCH(row_sums, m, 256, between, y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    return compare("018_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp", y, [&](size_t row) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double v = product(row, i);
            sum += v;
        }
        return sum;
    });
}
