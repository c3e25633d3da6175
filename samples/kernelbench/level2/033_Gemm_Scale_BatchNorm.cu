// KernelBench level 2, problem 33: linear layer, 1024 rows, 8192 to 8192 features; then times a
// vector, batch norm.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) \
    in(factor[n]=uniform(-2,2)) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_times(const float *x, const float *weight, const float *bias,
                             const float *factor, float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v *= factor[col];
    y[row * n + col] = v;
}

#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) in(v[m*n]=uniform(-1,1)) out(mean[n]) out(scale[n]) \
    grid(ceildiv(n,256)) block(256)
__global__ void column_statistics(const float *v, float *mean, float *scale, int m, int n)
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
#pragma ks workload let(m=1024) let(n=8192) in(v[m*n]=uniform(-1,1)) in(mean[n]=uniform(-1,1)) \
    in(scale[n]=uniform(1,2)) in(gamma[n]=uniform(-2,2)) in(beta[n]=uniform(-1,1)) out(y[m*n]) \
    grid(ceildiv(n,256),m) block(256)
__global__ void column_norm(const float *v, const float *mean, const float *scale,
                            const float *gamma, const float *beta, float *y, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= n)
        return;
    float u = (v[blockIdx.y * n + col] - mean[col]) * scale[col] * gamma[col] + beta[col];
    y[blockIdx.y * n + col] = u;
}

int main()
{
    need_gpu();
    int m = 21, n = 50, k = 30;
    random_floats x(m * k, 33), weight(n * k, 3300, -0.4, 0.4), bias(n, 3301);
    random_floats gamma(n, 3310), beta(n, 3311), factor(n, 3312);
    floats between(m * n), mean(n), scale(n), y(m * n);
    LAUNCH(linear_times, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           factor, between, m, n, k);
    LAUNCH(column_statistics, ceildiv(n, 256), 256, between, mean, scale, m, n);
    LAUNCH(column_norm, dim3(ceildiv(n, 256), m), 256, between, mean, scale, gamma, beta, y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    return compare("033_Gemm_Scale_BatchNorm", y, [&](size_t at) {
        int col = at % n;
        double middle = 0, square = 0, times = factor[col];
        for (int row = 0; row < m; row++)
            middle += product(row, col) * times / m;
        for (int row = 0; row < m; row++)
            square += std::pow(product(row, col) * times - middle, 2) / m;
        double u = (product(at / n, col) * times - middle) / std::sqrt(square + 1e-5) * gamma[col] +
                   beta[col];
        return u;
    });
}
