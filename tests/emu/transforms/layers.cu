// The batch is a block's number, products of matrices in it; a layer of the grid for each.
#pragma ks optimize
#pragma ks workload let(b=3,m=17,n=20,k=33) in(A[b*m*k]) in(B[k*n]) out(C[b*m*n]) grid(ceildiv(n,32),m,b) block(32)
__global__ void layers(const float *A, const float *B, float *C, int b, int m, int n, int k)
{
    int z = blockIdx.z, row = blockIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < n) {
        float acc = 0.f;
        for (int p = 0; p < k; p++)
            acc += A[(z * m + row) * k + p] * B[p * n + col];
        C[(z * m + row) * n + col] = acc;
    }
}
