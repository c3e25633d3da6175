// The product with tiles in shared memory, as in the programming guide.
#pragma ks optimize
#pragma ks workload let(n=768) in(a[n*n]=uniform(-1,1)) in(b[n*n]=uniform(-1,1)) out(c[n*n]) grid(n/16,n/16) block(16,16)
__global__ void gemm_tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
