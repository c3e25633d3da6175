// A matrix product, one thread an element.
#pragma ks optimize
#pragma ks workload let(m=512) let(n=640) let(k=512) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void gemm_plain(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += a[row * k + i] * b[i * n + col];
        c[row * n + col] = sum;
    }
}
