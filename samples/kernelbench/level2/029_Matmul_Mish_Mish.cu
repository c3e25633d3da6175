// KernelBench level 2, problem 29: linear layer, 1024 rows, 8192 to 8192 features; then Mish twice.
#include "../port.h"

__device__ static float mish(float v)
{
    return v * tanhf(v > 20.0f ? v : log1pf(expf(v)));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_mish_mish(const float *x, const float *weight, const float *bias, float *y,
                                 int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = mish(mish(v));
    y[row * n + col] = v;
}

int main()
{
    need_gpu();
    int m = 17, n = 20, k = 30;
    random_floats x(m * k, 29), weight(n * k, 2900, -0.4, 0.4), bias(n, 2901);
    floats y(m * n);
    LAUNCH(linear_mish_mish, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias, y,
           m, n, k);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto mish_of = [](double v) { return v * std::tanh(std::log(1 + std::exp(v))); };
    return compare("029_Matmul_Mish_Mish", y, [&](size_t at) {
        double v = product(at / n, at % n);
        return mish_of(mish_of(v));
    });
}
