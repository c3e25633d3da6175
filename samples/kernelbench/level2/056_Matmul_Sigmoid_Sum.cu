// KernelBench level 2, problem 56: linear layer, 128 rows, 32768 to 32768 features; then sigmoid,
// summed over the row.
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
__global__ void linear_sigmoid(const float *x, const float *weight, const float *bias, float *y,
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

#pragma ks optimize
#pragma ks workload let(m=128) let(n=32768) in(v[m*n]=uniform(0,1)) out(y[m]) grid(m) block(256)
__global__ void row_sums_of_sigmoids(const float *v, float *y, int n)
{
    v += (size_t)blockIdx.x * n;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += v[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

int main()
{
    need_gpu();
    int m = 5, n = 300, k = 30;
    random_floats x(m * k, 56), weight(n * k, 5600, -0.4, 0.4), bias(n, 5601);
    floats between(m * n), y(m);
    LAUNCH(linear_sigmoid, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           between, m, n, k);
    LAUNCH(row_sums_of_sigmoids, m, 256, between, y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
    return compare("056_Matmul_Sigmoid_Sum", y, [&](size_t row) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double v = product(row, i);
            sum += sigmoid_of(v);
        }
        return sum;
    });
}
