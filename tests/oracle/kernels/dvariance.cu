// Variance of each row in two passes in double, a thread each.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=800) in(x[rows*cols]=normal(1000,1)) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void dvariance(const double *x, double *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0, squares = 0;
    for (int i = 0; i < cols; i++)
        sum += x[(size_t)row * cols + i];
    double mean = sum / cols;
    for (int i = 0; i < cols; i++) {
        double d = x[(size_t)row * cols + i] - mean;
        squares += d * d;
    }
    y[row] = squares / cols;
}
