// KernelBench level 2, problem 70: linear layer, 1024 rows, 8192 to 8192 features; then twice its
// sigmoid added to itself.
#include "../port.h"

__device__ static float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=8192) let(k=8192) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.011,0.011)) in(bias[n]=uniform(-0.011,0.011)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_sigmoid_residual(const float *x, const float *weight, const float *bias,
                                        float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v += sigmoid(v) * 2.0f;
    y[row * n + col] = v;
}

int main()
{
    need_gpu();
    int m = 17, n = 20, k = 30;
    random_floats x(m * k, 70), weight(n * k, 7000, -0.4, 0.4), bias(n, 7001);
    floats y(m * n);
    LAUNCH(linear_sigmoid_residual, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight,
           bias, y, m, n, k);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
    return compare("070_Gemm_Sigmoid_Scaling_ResidualAdd", y, [&](size_t at) {
        double v = product(at / n, at % n);
        return v + 2 * sigmoid_of(v);
    });
}
