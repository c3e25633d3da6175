// Where the largest of each row stands.
#pragma ks optimize
#pragma ks workload let(rows=2000,cols=50) in(x[rows*cols]) out(at[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void largest(const double *x, int *at, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (r >= rows)
        return;
    x += (size_t)r * cols;
    for (int c = 1; c < cols; c++)
        if (x[c] > x[best])
            best = c;
    at[r] = best;
}
