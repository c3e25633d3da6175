// Five points, edges left early; one array is read at neighbours, the other at the item alone.
#pragma ks optimize
#pragma ks workload let(nx=77) let(ny=45) set(k=0.125) in(u[nx*ny]=uniform(0,1)) in(c[nx*ny]=uniform(0,1)) out(v[nx*ny]) grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void heat(const float *u, const float *__restrict__ c, float *v, float k, int nx, int ny)
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
    v[i] = u[i] + k * c[i] * (u[i - 1] + u[i + 1] + __ldg(&u[i - nx]) + u[i + nx] - 4.0f * u[i]);
}
