// The same with a depth that no size changes, so that roundings of factors cancel on every problem.
#pragma ks optimize tol(sum=1e-3)
#pragma ks workload let(m=16,n=16) in(a[m*2048]=uniform(-1,1)) in(b[2048*n]=uniform(-1,1)) out(c[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void deep_product(const float *a, const float *b, float *c, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = 2048;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[(size_t)i * k + l] * b[(size_t)l * n + j];
    c[(size_t)i * n + j] = sum;
}
