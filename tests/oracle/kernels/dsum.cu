// Sum of each row in double, a thread each.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=800) in(x[rows*cols]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void dsum(const double *x, double *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = 0; i < cols; i++)
        sum += x[(size_t)row * cols + i];
    y[row] = sum;
}
