// Where the least number of each column is, the first of equal ones.
#pragma ks optimize
#pragma ks workload let(rows=500,cols=2000) in(x[rows*cols]) out(at[cols]) grid(ceildiv(cols,128)) block(128)
__global__ void column_least(const float *x, int *at, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    int best = 0;
    for (int r = 1; r < rows; r++)
        if (x[(size_t)r * cols + c] < x[(size_t)best * cols + c])
            best = r;
    at[c] = best;
}
