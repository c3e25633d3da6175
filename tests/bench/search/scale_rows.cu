// Threads along the wrong axis: neighbours are a row apart.
#pragma ks optimize
#pragma ks workload let(rows=4096) let(cols=2048) in(x[rows*cols]=uniform(-1,1)) in(s[rows]=uniform(0.5,2)) out(y[rows*cols]) \
    grid(ceildiv(rows,32),ceildiv(cols,8)) block(32,8)
__global__ void scale_rows(const float *x, const float *s, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        y[row * cols + col] = s[row] * x[row * cols + col];
}
