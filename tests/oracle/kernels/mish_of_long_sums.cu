// A linear layer and Mish: on a GPU two million elements, of which a judge measures some; in most of them another order of
// the sum differs by more than element by element is allowed.
__device__ float mish(float v)
{
    return v * tanhf(v > 20 ? v : log1pf(expf(v)));
}

#pragma ks optimize
#pragma ks workload let(m=1024,n=2048,k=4096) in(x[m*k]=uniform(-1,1)) in(w[n*k]=uniform(-0.016,0.016)) out(y[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void mish_of_long_sums(const float *x, const float *w, float *y, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += x[(size_t)i * k + l] * w[(size_t)j * k + l];
    y[(size_t)i * n + j] = mish(mish(sum));
}
