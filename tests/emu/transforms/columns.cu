// Sums and extremes of columns, scaled in place, with a border left out.
#pragma ks optimize
#pragma ks workload let(rows=67,cols=45) inout(x[rows*cols]) out(sum[cols]) out(top[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void columns(float *x, float *sum, float *top, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < 1 || col >= cols - 1) {
        return;
    }
    float total = 0.0f, m = x[col];
    for (int row = 0; row < rows; row++) {
        total += x[row * cols + col];
        m = fmaxf(x[row * cols + col], m);
    }
    sum[col] = total;
    if (m > 0.5f)
        top[col] = m;
    else
        top[col] = 0.5f;
    for (int row = 0; row < rows; row++)
        x[row * cols + col] /= m + 2.0f;
}
