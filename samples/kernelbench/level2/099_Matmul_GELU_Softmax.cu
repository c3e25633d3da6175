// KernelBench level 2, problem 99: linear layer, 1024 rows, 8192 to 8192 features; then GELU,
// softmax of the row.
#include "../port.h"

__device__ static float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_gelu(const float *x, const float *weight, const float *bias, float *y, int m,
                            int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = gelu(v);
    y[row * n + col] = v;
}

#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) in(v[m*n]=uniform(-1,1)) out(y[m*n]) grid(m) \
    block(256)
__global__ void softmax_rows_99(const float *v, float *y, int n)
{
    v += (size_t)blockIdx.x * n;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        largest = fmaxf(largest, v[i]);
    largest = block_max(largest);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += expf(v[i] - largest);
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * n + i] = expf(v[i] - largest) / sum;
}

int main()
{
    need_gpu();
    int m = 5, n = 300, k = 30;
    random_floats x(m * k, 99), weight(n * k, 9900, -0.4, 0.4), bias(n, 9901);
    floats between(m * n), y(m * n);
    LAUNCH(linear_gelu, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           between, m, n, k);
    LAUNCH(softmax_rows_99, m, 256, between, y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto gelu_of = [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); };
    return compare("099_Matmul_GELU_Softmax", y, [&](size_t at) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += std::exp(gelu_of(product(at / n, i)));
        return std::exp(gelu_of(product(at / n, at % n))) / sum;
    });
}
