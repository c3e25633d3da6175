// Scores of attention: the root is asked of an integer, which the library has for floats alone.
#pragma ks optimize
#pragma ks workload let(n=32,d=64) in(q[n*d]) in(k[n*d]) out(score[n*n]) grid(ceildiv(n*n,128)) block(128)
__global__ void score_of(const float *q, const float *k, float *score, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n)
        return;
    float sum = 0;
    for (int j = 0; j < d; j++)
        sum += q[i / n * d + j] * k[i % n * d + j];
    score[i] = sum / sqrtf(d);
}
