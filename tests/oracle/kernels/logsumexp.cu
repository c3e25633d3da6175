// The logarithm of the sum of exponentials of each row, a thread each.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=800) in(x[rows*cols]=uniform(-4,4)) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void logsumexp(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < cols; i++)
        top = fmaxf(top, x[(size_t)row * cols + i]);
    for (int i = 0; i < cols; i++)
        sum += expf(x[(size_t)row * cols + i] - top);
    y[row] = top + logf(sum);
}
