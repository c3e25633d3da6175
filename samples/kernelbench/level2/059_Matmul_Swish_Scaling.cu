// KernelBench level 2, problem 59: linear layer, 128 rows, 32768 to 32768 features; then Swish,
// times 2.
#include "../port.h"

__device__ static float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=128) let(n=32768) let(k=32768) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.0055,0.0055)) in(bias[n]=uniform(-0.0055,0.0055)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_swish_scale(const float *x, const float *weight, const float *bias, float *y,
                                   int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = v * sigmoid(v) * 2.0f;
    y[row * n + col] = v;
}

int main()
{
    need_gpu();
    int m = 17, n = 20, k = 30;
    random_floats x(m * k, 59), weight(n * k, 5900, -0.4, 0.4), bias(n, 5901);
    floats y(m * n);
    LAUNCH(linear_swish_scale, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           y, m, n, k);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
    return compare("059_Matmul_Swish_Scaling", y, [&](size_t at) {
        double v = product(at / n, at % n);
        return 2 * v * sigmoid_of(v);
    });
}
