// A row is added to all rows of a matrix; tall blocks.
#pragma ks optimize
#pragma ks workload let(rows=8192) let(cols=2048) in(b[cols]=uniform(-1,1)) inout(y[rows*cols]=uniform(-1,1)) grid(ceildiv(cols,8),ceildiv(rows,32)) block(8,32)
__global__ void add_bias(float *y, const float *b, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        y[row * cols + col] += b[col];
}
