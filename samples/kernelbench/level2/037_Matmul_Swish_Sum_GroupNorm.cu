// KernelBench level 2, problem 37: linear layer, 32768 rows, 1024 to 4096 features; then Swish, a
// vector added, group norm in 64 groups.
#include "../port.h"

__device__ static float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=32768) let(n=4096) let(k=1024) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.031,0.031)) in(bias[n]=uniform(-0.031,0.031)) \
    in(added[n]=uniform(-1,1)) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_swish_add(const float *x, const float *weight, const float *bias,
                                 const float *added, float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = v * sigmoid(v) + added[col];
    y[row * n + col] = v;
}

#pragma ks optimize
#pragma ks workload let(m=32768) let(n=4096) let(groups=64) in(v[m*n]=uniform(-1,1)) \
    in(gamma[n]=uniform(-2,2)) in(beta[n]=uniform(-1,1)) out(y[m*n]) grid(groups,m) block(64)
__global__ void group_norm_64(const float *v, const float *gamma, const float *beta, float *y,
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
        y[i] = u;
    }
}

int main()
{
    need_gpu();
    int m = 5, n = 160, k = 30;
    random_floats x(m * k, 37), weight(n * k, 3700, -0.4, 0.4), bias(n, 3701);
    random_floats added(n, 3702);
    int groups = 4;
    random_floats gamma(n, 3710), beta(n, 3711);
    floats between(m * n), y(m * n);
    LAUNCH(linear_swish_add, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           added, between, m, n, k);
    LAUNCH(group_norm_64, dim3(groups, m), 64, between, gamma, beta, y, n, groups);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
    auto before = [&](size_t row, int col) {
        double v = product(row, col);
        return v * sigmoid_of(v) + added[col];
    };
    return compare("037_Matmul_Swish_Sum_GroupNorm", y, [&](size_t at) {
        int col = at % n, size = n / groups, first = col / size * size;
        double mean = 0, square = 0;
        for (int i = first; i < first + size; i++)
            mean += before(at / n, i) / size;
        for (int i = first; i < first + size; i++)
            square += std::pow(before(at / n, i) - mean, 2) / size;
        double u = (before(at / n, col) - mean) / std::sqrt(square + 1e-5) * gamma[col] + beta[col];
        return u;
    });
}
