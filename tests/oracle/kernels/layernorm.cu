// Each row less its mean, over its standard deviation, times a gain, plus a shift; a thread a row.
#pragma ks optimize
#pragma ks workload let(rows=24,cols=600) set(eps=1e-5) in(x[rows*cols]=normal(3,1)) in(gain[cols]) \
    in(shift[cols]) out(y[rows*cols]) grid(ceildiv(rows,32)) block(32)
__global__ void layernorm(const float *x, const float *gain, const float *shift, float *y, float eps,
                          int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = x + (size_t)row * cols;
    float sum = 0, squares = 0;
    for (int i = 0; i < cols; i++)
        sum += from[i];
    float mean = sum / cols;
    for (int i = 0; i < cols; i++)
        squares += (from[i] - mean) * (from[i] - mean);
    float scale = rsqrtf(squares / cols + eps);
    for (int i = 0; i < cols; i++)
        y[(size_t)row * cols + i] = (from[i] - mean) * scale * gain[i] + shift[i];
}
