// KernelBench level 2, problem 40: linear layer, 16384 rows, 4096 to 4096 features; then half of it
// added to itself.
#include "../port.h"

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=16384) let(n=4096) let(k=4096) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.016,0.016)) in(bias[n]=uniform(-0.016,0.016)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_scale_residual(const float *x, const float *weight, const float *bias,
                                      float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = v * 0.5f + v;
    y[row * n + col] = v;
}

int main()
{
    need_gpu();
    int m = 17, n = 20, k = 30;
    random_floats x(m * k, 40), weight(n * k, 4000, -0.4, 0.4), bias(n, 4001);
    floats y(m * n);
    LAUNCH(linear_scale_residual, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight,
           bias, y, m, n, k);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    return compare("040_Matmul_Scaling_ResidualAdd", y, [&](size_t at) {
        double v = product(at / n, at % n);
        return v * 1.5;
    });
}
