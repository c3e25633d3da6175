// Squares turned through tiles: of two that are walked down their columns one has longer rows already, a third has planes.
#pragma ks optimize
#pragma ks workload let(n=64) in(a[n*n]=uniform(0,1)) in(c[n*n]=uniform(0,1)) out(b[n*n]) grid(n/16, n/16) block(16,16)
__global__ void turned(const float *a, const double *c, float *b, int n)
{
    __shared__ float t[16][16], u[16][18];
    __shared__ double d[2][16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = a[y * n + x];
    u[threadIdx.y][threadIdx.x] = a[y * n + x] * 2;
    d[0][threadIdx.y][threadIdx.x] = c[y * n + x];
    d[1][threadIdx.y][threadIdx.x] = c[y * n + x] * 3;
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    b[y * n + x] = t[threadIdx.x][threadIdx.y] + u[threadIdx.x][threadIdx.y] * (d[0][threadIdx.x][threadIdx.y] - d[1][threadIdx.x][threadIdx.y]);
}
