// C = A B + bias where that is above zero, else nothing.
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(m=64,n=96,k=512) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) in(bias[n]) out(c[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void product_relu(const float *a, const float *b, const float *bias, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = bias[j];
    for (int l = 0; l < k; l++)
        sum += a[(size_t)i * k + l] * b[(size_t)l * n + j];
    c[(size_t)i * n + j] = sum > 0 ? sum : 0;
}
