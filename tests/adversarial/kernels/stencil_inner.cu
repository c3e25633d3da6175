// Mean of five inside; the boundary is left alone.
#pragma ks optimize
#pragma ks workload let(nx=512,ny=256) in(in[nx*ny]) out(out[nx*ny]) grid(ceildiv(nx,16),ceildiv(ny,16)) block(16,16)
__global__ void inner5(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    size_t i = (size_t)y * nx + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
}
