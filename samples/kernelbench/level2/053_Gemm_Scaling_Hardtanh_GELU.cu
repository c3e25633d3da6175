// KernelBench level 2, problem 53: linear layer, 2048 rows, 8192 to 8192 features; then times 0.5,
// kept between -2 and 2, GELU.
#include "../port.h"

__device__ static float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=2048) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_scale_clamp_gelu(const float *x, const float *weight, const float *bias,
                                        float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = gelu(fminf(fmaxf(v * 0.5f, -2.0f), 2.0f));
    y[row * n + col] = v;
}

int main()
{
    need_gpu();
    int m = 17, n = 20, k = 30;
    random_floats x(m * k, 53), weight(n * k, 5300, -0.4, 0.4), bias(n, 5301);
    floats y(m * n);
    LAUNCH(linear_scale_clamp_gelu, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight,
           bias, y, m, n, k);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto gelu_of = [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); };
    return compare("053_Gemm_Scaling_Hardtanh_GELU", y, [&](size_t at) {
        double v = product(at / n, at % n);
        return gelu_of(std::fmin(std::fmax(v / 2, -2.0), 2.0));
    });
}
