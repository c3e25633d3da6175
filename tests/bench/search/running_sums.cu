// Prefix sums of each column, one thread a column.
#pragma ks optimize
#pragma ks workload let(rows=256) let(cols=65536) in(x[rows*cols]=uniform(-1,1)) out(y[rows*cols]) grid(ceildiv(cols,512)) block(512)
__global__ void running_sums(const float *x, float *y, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    float sum = 0.0f;
    for (int row = 0; row < rows; row++) {
        sum += x[row * cols + col];
        y[row * cols + col] = sum;
    }
}
