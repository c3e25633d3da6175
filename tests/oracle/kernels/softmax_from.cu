// Softmax of rows whose maximum begins at a number: a row that lies below it is NaN, by the text and not by its order.
#pragma ks optimize
#pragma ks workload let(rows=24,cols=40) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(rows,32)) block(32)
__global__ void softmax_from(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = x + (size_t)row * cols;
    float *to = y + (size_t)row * cols;
    float top = -1e20f, sum = 0;
    for (int i = 0; i < cols; i++)
        top = fmaxf(top, from[i]);
    for (int i = 0; i < cols; i++)
        sum += expf(from[i] - top);
    for (int i = 0; i < cols; i++)
        to[i] = expf(from[i] - top) / sum;
}
