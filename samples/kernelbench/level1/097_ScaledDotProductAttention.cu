// KernelBench level 1, problem 97: attention of 32 x 32 heads, 512 long, 1024 wide, in half
// precision with sums in fp32.
#include "../port.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

// flop: 2*heads*n*n*d
#pragma ks optimize
#pragma ks workload let(heads=1024) let(n=512) let(d=1024) in(q[heads*n*d]=uniform(-1,1)) \
    in(k[heads*n*d]=uniform(-1,1)) set(scale=0.03125) out(scores[heads*n*n]) \
    grid(ceildiv(n,16),ceildiv(n,16),heads) block(16,16)
__global__ void attention_scores(const __half *q, const __half *k, float scale, float *scores,
                                 int n, int d)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    q += (blockIdx.z * n + row) * d;
    k += (blockIdx.z * n + col) * d;
    float sum = 0.0f;
    for (int i = 0; i < d; i++)
        sum += __half2float(q[i]) * __half2float(k[i]);
    scores[(blockIdx.z * n + row) * n + col] = sum * scale;
}

#pragma ks optimize
#pragma ks workload let(rows=524288) let(n=512) in(scores[rows*n]=uniform(-2,2)) \
    out(weights[rows*n]) grid(rows) block(128)
__global__ void attention_softmax(const float *scores, float *weights, int n)
{
    scores += blockIdx.x * n;
    weights += blockIdx.x * n;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        largest = fmaxf(largest, scores[i]);
    largest = block_max(largest);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += expf(scores[i] - largest);
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        weights[i] = expf(scores[i] - largest) / sum;
}

// flop: 2*heads*n*n*d
#pragma ks optimize
#pragma ks workload let(heads=1024) let(n=512) let(d=1024) in(weights[heads*n*n]=uniform(0,0.01)) \
    in(v[heads*n*d]=uniform(-1,1)) out(y[heads*n*d]) grid(ceildiv(d,16),ceildiv(n,16),heads) \
    block(16,16)
__global__ void attention_mix(const float *weights, const __half *v, __half *y, int n, int d)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= d)
        return;
    weights += (blockIdx.z * n + row) * n;
    v += blockIdx.z * n * d;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += weights[i] * __half2float(v[i * d + col]);
    y[(blockIdx.z * n + row) * d + col] = __float2half(sum);
}

int main()
{
    need_gpu();
    int heads = 2, n = 18, d = 20;
    array<__half> q(heads * n * d), k(q.size), v(q.size), y(q.size);
    fill_random(q, 97);
    fill_random(k, 970);
    fill_random(v, 971);
    floats scores(heads * n * n), weights(scores.size), got(y.size);
    LAUNCH(attention_scores, dim3(ceildiv(n, 16), ceildiv(n, 16), heads), dim3(16, 16), q, k,
           1 / sqrtf(d), scores, n, d);
    LAUNCH(attention_softmax, heads * n, 128, scores, weights, n);
    LAUNCH(attention_mix, dim3(ceildiv(d, 16), ceildiv(n, 16), heads), dim3(16, 16), weights, v, y,
           n, d);
    for (size_t i = 0; i < y.size; i++)
        got[i] = __half2float(y[i]);
    return compare(
        "097_ScaledDotProductAttention", got,
        [&](size_t at) {
            int head = at / (n * d), row = at / d % n, col = at % d;
            double all = 0, mixed = 0;
            for (int j = 0; j < n; j++) {
                double score = 0;
                for (int i = 0; i < d; i++)
                    score += (double)__half2float(q[(head * n + row) * d + i]) *
                             __half2float(k[(head * n + j) * d + i]);
                double weight = std::exp(score / std::sqrt((double)d));
                all += weight;
                mixed += weight * __half2float(v[(head * n + j) * d + col]);
            }
            return mixed / all;
        },
        1e-2);
}
