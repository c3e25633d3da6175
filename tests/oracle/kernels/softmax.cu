// Softmax of rows, a thread each.
#pragma ks optimize
#pragma ks workload let(rows=24,cols=700) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(rows,32)) block(32)
__global__ void softmax(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = x + (size_t)row * cols;
    float *to = y + (size_t)row * cols;
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < cols; i++)
        top = fmaxf(top, from[i]);
    for (int i = 0; i < cols; i++)
        sum += expf(from[i] - top);
    for (int i = 0; i < cols; i++)
        to[i] = expf(from[i] - top) / sum;
}
