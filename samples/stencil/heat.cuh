// One explicit step of the heat equation on a grid with fixed edges. The kernel lives in a header,
// as kernels do in most projects, and its mark with it.
#pragma once

// ks: optimize
// ks: workload let(nx=4096) let(ny=4096) set(k=0.1) in(u[nx*ny]=uniform(0,1)) out(v[nx*ny])
// ks:   grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void heat_step(const float *u, float *v, float k, int nx, int ny)
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
    v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.0f * u[i]);
}
