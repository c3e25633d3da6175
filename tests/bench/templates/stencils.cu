// Stencils on a plane and on a grid, a thread an element.
#pragma ks optimize
#pragma ks workload let(nx=8192) let(ny=8192) in(in[nx*ny]=uniform(-1,1)) out(out[nx*ny]) set(c0=0.5f) set(c1=0.125f) grid(ceildiv(nx,32),ceildiv(ny,8)) block(32,8)
__global__ void heat5(const float *in, float *out, int nx, int ny, float c0, float c1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        int i = y * nx + x;
        out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    }
}
#pragma ks optimize
#pragma ks workload let(nx=512) let(ny=512) let(nz=256) in(in[nx*ny*nz]=uniform(-1,1)) out(out[nx*ny*nz]) set(c0=0.4f) set(c1=0.1f) grid(ceildiv(nx,32),ceildiv(ny,4),ceildiv(nz,2)) block(32,4,2)
__global__ void heat7(const float *in, float *out, int nx, int ny, int nz, float c0, float c1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        int i = (z * ny + y) * nx + x;
        out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
    }
}
