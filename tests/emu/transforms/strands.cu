// Three points of each line, a block's y for a line; how many there are only the grid tells.
#pragma ks optimize
#pragma ks workload let(lines=5) let(n=301) in(x[lines*n]=uniform(-1,1)) out(y[lines*n]) grid(ceildiv(n,64), lines) block(64)
__global__ void strands(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *line = x + (size_t)blockIdx.y * n;
    float v = line[i];
    if (i > 0 && i < n - 1)
        v = 0.25f * line[i - 1] + 0.5f * v + 0.25f * line[i + 1];
    y[blockIdx.y * n + i] = v;
}
