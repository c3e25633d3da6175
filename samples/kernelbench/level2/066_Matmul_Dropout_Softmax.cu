// KernelBench level 2, problem 66: linear layer, 128 rows, 16384 to 16384 features; then dropout of
// a fifth, softmax of the row.
#include "../port.h"

// degenerate: the benchmark draws the dropout anew, so its output is random; here the mask is an
// input

// flop: 2*m*n*k
#pragma ks optimize
#pragma ks workload let(m=128) let(n=16384) let(k=16384) in(x[m*k]=uniform(-1,1)) \
    in(weight[n*k]=uniform(-0.0078,0.0078)) in(bias[n]=uniform(-0.0078,0.0078)) \
    in(keep[m*n]=randint(0,1)) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void linear_dropout(const float *x, const float *weight, const float *bias,
                               const unsigned char *keep, float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = bias[col];
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * weight[col * k + i];
    v = keep[row * n + col] ? v / 0.8f : 0.0f;
    y[row * n + col] = v;
}

#pragma ks optimize
#pragma ks workload let(m=128) let(n=16384) in(v[m*n]=uniform(-4,4)) out(y[m*n]) grid(m) \
    block(256)
__global__ void softmax_rows_66(const float *v, float *y, int n)
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
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * n + i] = expf(v[i] - largest) / sum;
}

int main()
{
    need_gpu();
    int m = 5, n = 300, k = 30;
    random_floats x(m * k, 66), weight(n * k, 6600, -0.4, 0.4), bias(n, 6601);
    array<unsigned char> keep(m * n);
    fill_random(keep, 6602, 0, 2);
    floats between(m * n), y(m * n);
    LAUNCH(linear_dropout, dim3(ceildiv(n, 16), ceildiv(m, 16)), dim3(16, 16), x, weight, bias,
           keep, between, m, n, k);
    LAUNCH(softmax_rows_66, m, 256, between, y, n);
    auto product = [&](size_t row, int col) {
        double sum = bias[col];
        for (int i = 0; i < k; i++)
            sum += (double)x[row * k + i] * weight[col * k + i];
        return sum;
    };
    auto kept = [&](size_t at) { return keep[at] ? product(at / n, at % n) / 0.8 : 0.0; };
    return compare("066_Matmul_Dropout_Softmax", y, [&](size_t at) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += std::exp(kept(at / n * n + i));
        return std::exp(kept(at)) / sum;
    });
}
