// A small number added to a large one that is then taken off again: what is left has few digits, and which ones
// is a matter of order.
#pragma ks optimize
#pragma ks workload let(rows=70,cols=9) in(x[rows*cols]) in(d[rows]=uniform(11,16)) in(t[rows]=constant(7)) \
    in(s[rows]=constant(7)) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void softplus(const float *x, const float *d, const float *t, const float *s, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 1;
    for (int i = 0; i < cols; i++)
        sum += expf(x[row * cols + i] - d[row]);
    y[row] = logf(sum) + t[row] - s[row];
}
