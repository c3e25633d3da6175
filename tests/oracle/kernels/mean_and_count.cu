// The mean of each row, and how many of its squares are infinite: in double none is.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=200) in(x[rows*cols]) out(count[rows]) out(mean[rows]) \
    grid(ceildiv(rows,32)) block(32)
__global__ void mean_and_count(const float *x, int *count, float *mean, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = x + (size_t)row * cols;
    float sum = 0;
    int infinite = 0;
    for (int i = 0; i < cols; i++) {
        sum += from[i];
        infinite += isinf(from[i] * from[i]);
    }
    mean[row] = sum / cols;
    count[row] = infinite;
}
