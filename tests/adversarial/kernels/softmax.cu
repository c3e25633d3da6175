// Softmax of rows, a thread each. NaN in a row makes the whole row NaN: its sum is.
#pragma ks optimize
#pragma ks workload let(rows=64,cols=1024) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(rows,64)) block(64)
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
