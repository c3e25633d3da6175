// A product that is summed in memory, row sums by rows of a nest, and a sum that starts from what is there.
#pragma ks optimize
#pragma ks workload let(m=21,n=30,k=17) in(A[m*k]) in(B[k*n]) inout(C[m*n]) inout(sum[m]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void updates(const float *A, const float *B, float *C, float *sum, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    C[row * n + col] *= 0.5f;
    for (int p = 0; p < k; p++)
        C[row * n + col] += A[row * k + p] * B[p * n + col];
    if (col == 0)
        for (int p = k - 1; p >= 0; p--)
            sum[row] -= A[row * k + p];
}
