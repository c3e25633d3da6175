// C = swish(A B + bias): more than sums of products, measured in double, with room for factors of 8 bits.
#pragma ks optimize tol(sum=1e-2)
#pragma ks workload let(m=64,n=96,k=512) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) in(bias[n]) out(c[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void product_swish_coarse(const float *a, const float *b, const float *bias, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = bias[j];
    for (int l = 0; l < k; l++)
        sum += a[(size_t)i * k + l] * b[(size_t)l * n + j];
    c[(size_t)i * n + j] = sum / (1 + expf(-sum));
}
