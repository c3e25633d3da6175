// KernelBench level 2, problem 30: linear layer, 1024 rows, 8192 to 8192 features; then group norm
// in 16 groups, clamped to 2.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_to_groups(const float *x, const float *weight, const float *bias, float *y,
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
#pragma ks workload let(m=1024) let(n=8192) let(groups=16) in(v[m*n]=uniform(-1,1)) \
    in(gamma[n]=uniform(-2,2)) in(beta[n]=uniform(-1,1)) out(y[m*n]) grid(groups,m) block(256)
__global__ void group_norm_hardtanh(const float *v, const float *gamma, const float *beta, float *y,
                                    int n, int groups)
{
    int size = n / groups, first = blockIdx.x * size;
    v += (size_t)blockIdx.y * n;
    y += (size_t)blockIdx.y * n;
    float sum = 0.0f, squares = 0.0f;
    for (int i = first + threadIdx.x; i < first + size; i += blockDim.x) {
        sum += v[i];
        squares += v[i] * v[i];
    }
    float mean = block_sum(sum) / size;
    float scale = rsqrtf(block_sum(squares) / size - mean * mean + 1e-5f);
    for (int i = first + threadIdx.x; i < first + size; i += blockDim.x) {
        float u = (v[i] - mean) * scale * gamma[i] + beta[i];
        y[i] = fminf(fmaxf(u, -2.0f), 2.0f);
    }
}

int main()
{
    need_gpu();
    int m = 5, n = 160, k = 30;
    random_floats x(m * k, 30), weight(n * k, 3000, -0.4, 0.4), bias(n, 3001);
    int groups = 4;
    random_floats gamma(n, 3010), beta(n, 3011);
    floats between(m * n), y(m * n);
    LAUNCH(linear_to_groups, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           between, m, n, k);
    LAUNCH(group_norm_hardtanh, dim3(groups, m), 256, between, gamma, beta, y, n, groups);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto before = [&](size_t row, int col) {
        double v = product(row, col);
        return v;
    };
    return compare("030_Gemm_GroupNorm_Hardtanh", y, [&](size_t at) {
        int col = at % n, size = n / groups, first = col / size * size;
        double mean = 0, square = 0;
        for (int i = first; i < first + size; i++)
            mean += before(at / n, i) / size;
        for (int i = first; i < first + size; i++)
            square += std::pow(before(at / n, i) - mean, 2) / size;
        double u = (before(at / n, col) - mean) / std::sqrt(square + 1e-5) * gamma[col] + beta[col];
        return std::fmin(std::fmax(u, -2.0), 2.0);
    });
}
