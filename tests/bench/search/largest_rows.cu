// The largest magnitude of each row, one thread a row.
#pragma ks optimize
#pragma ks workload let(rows=16384) let(cols=512) in(x[rows*cols]=normal(0,1)) out(y[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void largest_rows(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float largest = 0.0f;
    for (int c = 0; c < cols; c++)
        largest = fmaxf(largest, fabsf(x[row * cols + c]));
    y[row] = largest;
}
