// What is left of a row's reciprocals by their mean, as a quotient: it may be a hundred thousandth of them.
#pragma ks optimize
#pragma ks workload let(rows=300,cols=200) in(x[rows*cols]=normal(1,0.0000005)) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void left_of_reciprocals(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < cols; i++)
        sum += 1.0f / x[(size_t)row * cols + i];
    y[row] = (float)cols / (sum - 0.999995f * (float)cols);
}
