// The sum of exponentials of each row, as a softmax without its maximum divides by: infinite where it passes the range.
#pragma ks optimize
#pragma ks workload let(rows=2000,cols=100) in(x[rows*cols]) out(y[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void sum_of_exponentials(const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < cols; c++)
        sum += expf(x[(size_t)r * cols + c]);
    y[r] = sum;
}
