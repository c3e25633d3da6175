// The largest of each row, and where it stands.
#pragma ks optimize
#pragma ks workload let(rows=4096,cols=256) in(x[rows*cols]) out(y[rows]) out(at[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void rowmax(const float *x, float *y, int *at, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float best = x[(size_t)r * cols];
    int where = 0;
    for (int c = 1; c < cols; c++)
        if (x[(size_t)r * cols + c] > best) {
            best = x[(size_t)r * cols + c];
            where = c;
        }
    y[r] = best;
    at[r] = where;
}
