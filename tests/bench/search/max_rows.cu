// The largest of each row.
#pragma ks optimize
#pragma ks workload let(rows=32768) let(cols=512) in(x[rows*cols]=normal(0,1)) out(best[rows]) grid(ceildiv(rows,256)) block(256)
__global__ void max_rows(const float *x, float *best, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float m = x[(size_t)row * cols];
        for (int col = 1; col < cols; col++)
            m = fmaxf(m, x[(size_t)row * cols + col]);
        best[row] = m;
    }
}
