// A matrix product as one writes it first.
#pragma ks optimize
#pragma ks workload let(m=36,n=40,k=20) in(A[m*k]) in(B[k*n]) out(C[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void product(const float *A, const float *B, float *C, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float acc = 0.0f;
    for (int p = 0; p < k; ++p)
        acc += A[row * k + p] * B[p * n + col];
    C[row * n + col] = acc;
}
