// KernelBench level 2, problem 80: linear layer, 1024 rows, 8192 to 8192 features; then the row's
// largest minus the mean of that one number, GELU.
#include "../port.h"

// degenerate: the output is 0 whatever comes in

__device__ static float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_to_max(const float *x, const float *weight, const float *bias, float *y,
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
__global__ void largest_minus_mean(const float *v, float *y, int n)
{
    v += (size_t)blockIdx.x * n;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        largest = fmaxf(largest, v[i]);
    largest = block_max(largest);
    if (threadIdx.x == 0) {
        float mean = largest / 1.0f;
        y[blockIdx.x] = gelu(largest - mean);
    }
}

int main()
{
    need_gpu();
    int m = 5, n = 300, k = 30;
    random_floats x(m * k, 80), weight(n * k, 8000, -0.4, 0.4), bias(n, 8001);
    floats between(m * n), y(m);
    LAUNCH(linear_to_max, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           between, m, n, k);
    LAUNCH(largest_minus_mean, m, 256, between, y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto gelu_of = [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); };
    return compare("080_Gemm_Max_Subtract_GELU", y, [&](size_t row) {
        double largest = product(row, 0);
        for (int i = 1; i < n; i++)
            largest = std::fmax(largest, product(row, i));
        double mean = largest;
        return gelu_of(largest - mean);
    });
}
