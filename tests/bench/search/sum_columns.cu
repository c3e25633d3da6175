// One thread a column: contiguous, but few threads.
#pragma ks optimize
#pragma ks workload let(rows=1024) let(cols=16384) in(x[rows*cols]=uniform(-1,1)) out(sum[cols]) grid(ceildiv(cols,256)) block(256)
__global__ void sum_columns(const float *x, float *sum, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    float total = 0.0f;
    for (int row = 0; row < rows; row++)
        total += x[row * cols + col];
    sum[col] = total;
}
