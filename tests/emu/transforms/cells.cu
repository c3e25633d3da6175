// Seven points of a volume and two times of it in one array; an index is made anew in each scope under one name.
#pragma ks optimize
#pragma ks workload let(nx=37) let(ny=18) let(nz=11) in(u[2*nx*ny*nz]=uniform(0,1)) out(v[nx*ny*nz]) grid(ceildiv(nx,16), ceildiv(ny,4), ceildiv(nz,2)) block(16,4,2)
__global__ void cells(const double *u, double *v, int nx, int ny, int nz)
{
    const size_t x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        size_t i = x + (size_t)nx * (y + ny * z);
        double sum = 2 * u[i];
        if (x > 0) {
            size_t j = i - 1;
            sum += u[j];
        }
        if (x + 1 < nx) {
            size_t j = i + 1;
            sum += u[j];
        }
        sum += y > 0 ? u[i - nx] : 0.5;
        if (y < ny - 1)
            sum += u[x + nx * (y + 1 + ny * z)];
        if (z > 0)
            sum -= u[i - nx * ny];
        if (z + 1 < nz)
            sum -= u[((z + 1) * ny + y) * nx + x];
        if (x > 1)
            sum += u[nx * ny * nz + i] * u[nx * ny * nz + i - 2];
        v[i] = sum;
    }
}
