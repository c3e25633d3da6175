// A transpose without a tile.
#pragma ks optimize
#pragma ks workload let(rows=4096) let(cols=4096) in(a[rows*cols]=uniform(-1,1)) out(b[rows*cols]) grid(ceildiv(cols,32),ceildiv(rows,8)) block(32,8)
__global__ void turn_matrix(const float *a, float *b, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        b[col * rows + row] = a[row * cols + col];
}
