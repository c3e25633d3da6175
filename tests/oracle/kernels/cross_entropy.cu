// Loss of each row of logits against its label, a thread each.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=500) in(x[rows*cols]) in(label[rows]=randint(0,0)) out(loss[rows]) \
    grid(ceildiv(rows,32)) block(32)
__global__ void cross_entropy(const float *x, const int *label, float *loss, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = x + (size_t)row * cols;
    float top = from[0], sum = 0;
    for (int i = 1; i < cols; i++)
        top = fmaxf(top, from[i]);
    for (int i = 0; i < cols; i++)
        sum += expf(from[i] - top);
    loss[row] = logf(sum) + top - from[label[row]];
}
