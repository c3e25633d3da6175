// One thread a row.
#pragma ks optimize
#pragma ks workload let(rows=16384) let(cols=1024) in(x[rows*cols]=uniform(-1,1)) out(sum[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void sum_rows(const float *x, float *sum, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float total = 0.0f;
    for (int col = 0; col < cols; col++)
        total += x[(size_t)row * cols + col];
    sum[row] = total;
}
