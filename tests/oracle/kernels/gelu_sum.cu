// The sum of GELU over each row, a thread each.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=700) in(x[rows*cols]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void gelu_sum(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < cols; i++) {
        float v = x[(size_t)row * cols + i];
        sum += 0.5f * v * (1.0f + erff(v * 0.70710678f));
    }
    y[row] = sum;
}
