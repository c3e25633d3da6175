// The same for doubles and a lying matrix, square blocks.
#pragma ks optimize
#pragma ks workload let(rows=2048) let(cols=4096) in(a[rows*cols]=uniform(-1,1)) out(b[rows*cols]) grid(ceildiv(cols,16),ceildiv(rows,16)) block(16,16)
__global__ void turn_doubles(const double *a, double *b, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        b[(size_t)col * rows + row] = a[(size_t)row * cols + col];
}
