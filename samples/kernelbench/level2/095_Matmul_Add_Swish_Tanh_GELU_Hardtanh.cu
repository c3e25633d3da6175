// KernelBench level 2, problem 95: linear layer, 1024 rows, 8192 to 8192 features; then a vector
// added, Swish, tanh, GELU, clamped to 1.
#include "../port.h"

__device__ static float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}
__device__ static float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) \
    in(added[n]=uniform(-1,1)) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_add_swish_tanh_gelu(const float *x, const float *weight, const float *bias,
                                           const float *added, float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v += added[col];
    v = gelu(tanhf(v * sigmoid(v)));
    v = fminf(fmaxf(v, -1.0f), 1.0f);
    y[row * n + col] = v;
}

int main()
{
    need_gpu();
    int m = 17, n = 20, k = 30;
    random_floats x(m * k, 95), weight(n * k, 9500, -0.4, 0.4), bias(n, 9501);
    random_floats added(n, 9502);
    floats y(m * n);
    LAUNCH(linear_add_swish_tanh_gelu, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x,
           weight, bias, added, y, m, n, k);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
    auto gelu_of = [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); };
    return compare("095_Matmul_Add_Swish_Tanh_GELU_Hardtanh", y, [&](size_t at) {
        double v = product(at / n, at % n);
        return gelu_of(std::tanh((v + added[at % n]) * sigmoid_of(v + added[at % n])));
    });
}
