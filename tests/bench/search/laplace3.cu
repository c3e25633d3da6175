// Seven points of a volume.
#pragma ks optimize
#pragma ks workload let(n=256) in(u[n*n*n]=uniform(-1,1)) inout(v[n*n*n]=constant(0)) grid(ceildiv(n,8),ceildiv(n,8),ceildiv(n,8)) block(8,8,8)
__global__ void laplace3(const float *u, float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int i = (z * n + y) * n + x;
    v[i] = u[i - 1] + u[i + 1] + u[i - n] + u[i + n] + u[i - n * n] + u[i + n * n] - 6.0f * u[i];
}
