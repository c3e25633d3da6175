// Swish of sums, some of which lie where expf(-sum) ends: 0 on one side of about -88.7, a small number on the other.
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(m=64,n=64,k=4) in(a[m*k]=uniform(-9,9)) in(b[k*n]=uniform(-9,9)) out(c[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void swish_of_far_sums(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[(size_t)i * k + l] * b[(size_t)l * n + j];
    c[(size_t)i * n + j] = sum / (1 + expf(-sum));
}
