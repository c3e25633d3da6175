// One over the spread of each row, of great numbers and of a row of one: the variance is all rounding, of either sign, so that the
// result is any number up to 316, or none.
#pragma ks optimize
#pragma ks workload let(rows=300,cols=1) in(x[rows*cols]=uniform(1e3,1e5)) out(scale[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void spread(const float *x, float *scale, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0, square = 0;
    for (int i = 0; i < cols; i++) {
        float v = x[row * cols + i];
        sum += v;
        square += v * v;
    }
    float middle = sum / cols;
    scale[row] = rsqrtf(fmaf(-middle, middle, square / cols) + 1e-5f);
}
