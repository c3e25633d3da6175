// The mean of a row's numbers, each the whole number below it; a thread a row.
#pragma ks optimize
#pragma ks workload let(rows=300,cols=100) in(x[rows*cols]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void mean_of_steps(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 100000;
    for (int i = 0; i < cols; i++)
        sum += floorf(3 * x[(size_t)row * cols + i]) / 3;
    y[row] = sum / (float)cols;
}
