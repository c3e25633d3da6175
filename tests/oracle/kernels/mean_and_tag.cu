// The mean of each row, and some bits of its first number: in double they are others.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=200) in(x[rows*cols]) out(tag[rows]) out(mean[rows]) \
    grid(ceildiv(rows,32)) block(32)
__global__ void mean_and_tag(const float *x, float *tag, float *mean, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = x + (size_t)row * cols;
    float sum = 0;
    for (int i = 0; i < cols; i++)
        sum += from[i];
    mean[row] = sum / cols;
    tag[row] = *(const unsigned *)from >> 9 & 0xff;
}
