// KernelBench level 2, problem 41: linear layer, 16384 rows, 4096 to 4096 features; then batch
// norm, GELU, ReLU.
#include "../port.h"

__device__ static float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=16384) let(n=4096) let(k=4096) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.016,0.016)) in(bias[n]=uniform(-0.016,0.016)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_to_norm(const float *x, const float *weight, const float *bias, float *y,
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
#pragma ks workload let(m=16384) let(n=4096) in(v[m*n]=uniform(-1,1)) out(mean[n]) out(scale[n]) \
    grid(ceildiv(n,256)) block(256)
__global__ void column_statistics_41(const float *v, float *mean, float *scale, int m, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= n)
        return;
    float sum = 0.0f, squares = 0.0f;
    for (int row = 0; row < m; row++) {
        float u = v[row * n + col];
        sum += u;
        squares += u * u;
    }
    float middle = sum / m;
    mean[col] = middle;
    scale[col] = rsqrtf(squares / m - middle * middle + 1e-5f);
}

#pragma ks optimize
#pragma ks workload let(m=16384) let(n=4096) in(v[m*n]=uniform(-1,1)) in(mean[n]=uniform(-1,1)) \
    in(scale[n]=uniform(1,2)) in(gamma[n]=uniform(-2,2)) in(beta[n]=uniform(-1,1)) out(y[m*n]) \
    grid(ceildiv(n,256),m) block(256)
__global__ void column_norm_gelu_relu(const float *v, const float *mean, const float *scale,
                                      const float *gamma, const float *beta, float *y, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= n)
        return;
    float u = (v[blockIdx.y * n + col] - mean[col]) * scale[col] * gamma[col] + beta[col];
    u = fmaxf(gelu(u), 0.0f);
    y[blockIdx.y * n + col] = u;
}

int main()
{
    need_gpu();
    int m = 21, n = 50, k = 30;
    random_floats x(m * k, 41), weight(n * k, 4100, -0.4, 0.4), bias(n, 4101);
    random_floats gamma(n, 4110), beta(n, 4111);
    floats between(m * n), mean(n), scale(n), y(m * n);
    LAUNCH(linear_to_norm, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           between, m, n, k);
    LAUNCH(column_statistics_41, ceildiv(n, 256), 256, between, mean, scale, m, n);
    LAUNCH(column_norm_gelu_relu, dim3(ceildiv(n, 256), m), 256, between, mean, scale, gamma, beta,
           y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto gelu_of = [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); };
    return compare("041_Gemm_BatchNorm_GELU_ReLU", y, [&](size_t at) {
        int col = at % n;
        double middle = 0, square = 0, times = 1;
        for (int row = 0; row < m; row++)
            middle += product(row, col) * times / m;
        for (int row = 0; row < m; row++)
            square += std::pow(product(row, col) * times - middle, 2) / m;
        double u = (product(at / n, col) * times - middle) / std::sqrt(square + 1e-5) * gamma[col] +
                   beta[col];
        return std::fmax(gelu_of(u), 0.0);
    });
}
