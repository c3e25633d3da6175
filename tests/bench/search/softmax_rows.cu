// Three passes over a row, one thread a row.
#pragma ks optimize tol(rel=1e-4,abs=1e-6)
#pragma ks workload let(rows=16384) let(cols=128) in(x[rows*cols]=normal(0,1)) out(y[rows*cols]) grid(ceildiv(rows,128)) block(128)
__global__ void softmax_rows(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float largest = x[row * cols];
    for (int c = 1; c < cols; c++)
        largest = fmaxf(largest, x[row * cols + c]);
    float sum = 0.0f;
    for (int c = 0; c < cols; c++)
        sum += expf(x[row * cols + c] - largest);
    for (int c = 0; c < cols; c++)
        y[row * cols + c] = expf(x[row * cols + c] - largest) / sum;
}
