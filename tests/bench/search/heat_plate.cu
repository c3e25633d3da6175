// Five points of a plate.
#pragma ks optimize
#pragma ks workload let(nx=4096) let(ny=4096) set(c=0.1) in(u[nx*ny]=uniform(-1,1)) out(v[nx*ny]) grid(ceildiv(nx,16),ceildiv(ny,16)) block(16,16)
__global__ void heat_plate(const float *u, float *v, float c, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int i = y * nx + x;
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
        v[i] = u[i];
        return;
    }
    v[i] = u[i] + c * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.0f * u[i]);
}
