// KernelBench level 2, problem 45: two linear layers of 16384 rows, 2048 to 4096 with sigmoid and
// 4096 to 1024; LogSumExp of the row.
#include "../port.h"

__device__ static float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=16384) let(n=4096) let(k=2048) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.022,0.022)) in(bias[n]=uniform(-0.022,0.022)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_first(const float *x, const float *weight, const float *bias, float *y,
                             int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = sigmoid(v);
    y[row * n + col] = v;
}

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=16384) let(n=1024) let(k=4096) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.016,0.016)) in(bias[n]=uniform(-0.016,0.016)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_second(const float *x, const float *weight, const float *bias, float *y,
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
#pragma ks workload let(m=16384) let(n=1024) in(v[m*n]=uniform(-4,4)) out(y[m]) grid(m) block(256)
__global__ void log_sum_exp(const float *v, float *y, int n)
{
    v += (size_t)blockIdx.x * n;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        largest = fmaxf(largest, v[i]);
    largest = block_max(largest);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += expf(v[i] - largest);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = largest + logf(sum);
}

int main()
{
    need_gpu();
    int m = 5, inner = 30, n = 40, k = 20;
    random_floats x(m * k, 45), weight(inner * k, 450), bias(inner, 451), weight2(n * inner, 452),
        bias2(n, 453);
    floats hidden(m * inner), between(m * n), y(m);
    LAUNCH(linear_first, dim3(ceildiv(inner, 16), 1), dim3(16, 16), x, weight, bias, hidden, m,
           inner, k);
    LAUNCH(linear_second, dim3(ceildiv(n, 16), 1), dim3(16, 16), hidden, weight2, bias2, between, m,
           n, inner);
    LAUNCH(log_sum_exp, m, 256, between, y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
    return compare("045_Gemm_Sigmoid_LogSumExp", y, [&](size_t row) {
        double all = 0;
        for (int i = 0; i < n; i++) {
            double sum = bias2[i];
            for (int j = 0; j < inner; j++)
                sum += sigmoid_of(product(row, j)) * weight2[i * inner + j];
            all += std::exp(sum);
        }
        return std::log(all);
    });
}
