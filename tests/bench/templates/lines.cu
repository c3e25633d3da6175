// A product of parts of larger matrices, column by column as BLAS has it.
#pragma ks optimize
#pragma ks workload let(m=2048) let(n=2048) let(k=2048) let(lda=2112) let(ldb=2112) let(ldc=2112) in(a[k*lda]=uniform(-1,1)) in(b[n*ldb]=uniform(-1,1)) inout(c[n*ldc]=uniform(-1,1)) set(alpha=1.5f) set(beta=0.5f) grid(ceildiv(m,32),ceildiv(n,8)) block(32,8)
__global__ void sgemm(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
    int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i + l * lda] * b[l + j * ldb];
    c[i + j * ldc] = alpha * sum + beta * c[i + j * ldc];
}
