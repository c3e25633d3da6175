// Softmax of rows in double, a thread each.
#pragma ks optimize
#pragma ks workload let(rows=24,cols=700) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(rows,32)) block(32)
__global__ void dsoftmax(const double *x, double *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const double *from = x + (size_t)row * cols;
    double *to = y + (size_t)row * cols;
    double top = -(double)INFINITY, sum = 0;
    for (int i = 0; i < cols; i++)
        top = fmax(top, from[i]);
    for (int i = 0; i < cols; i++)
        sum += exp(from[i] - top);
    for (int i = 0; i < cols; i++)
        to[i] = exp(from[i] - top) / sum;
}
