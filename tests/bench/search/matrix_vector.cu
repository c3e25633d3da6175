// One thread a row of a matrix.
#pragma ks optimize
#pragma ks workload let(rows=16384) let(cols=768) in(a[rows*cols]=uniform(-1,1)) in(x[cols]=uniform(-1,1)) out(y[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void matrix_vector(const float *a, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int c = 0; c < cols; c++)
        sum += a[row * cols + c] * x[c];
    y[row] = sum;
}
