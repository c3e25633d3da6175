// C = A B with a B of ones, which hides how it is read
#pragma ks optimize
#pragma ks workload let(M=128,N=192,K=256) in(A[M*K]) in(B[K*N]=constant(1)) out(C[M*N]) \
    grid(ceildiv(N,16),ceildiv(M,16)) block(16,16)
__global__ void gemm(const float *A, const float *B, float *C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * K + k] * B[(size_t)k * N + col];
    C[(size_t)row * N + col] = sum;
}
