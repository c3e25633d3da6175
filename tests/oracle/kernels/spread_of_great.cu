// One over the spread of each row, of great numbers and of a row of one: the variance is all rounding, of either sign, so that the
// result is any number up to 316, or none.
#pragma ks optimize
#pragma ks workload let(rows=300,cols=1) in(x[rows*cols]=uniform(1e3,1e5)) out(scale[rows]) grid(rows) block(64)
__global__ void spread(const float *x, float *scale, int cols)
{
    __shared__ float sums[64], squares[64];
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < cols; i += 64) {
        float v = x[blockIdx.x * cols + i];
        sum += v;
        square += v * v;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int i = 1; i < 64; i++) {
        sum += sums[i];
        square += squares[i];
    }
    float middle = sum / cols;
    scale[blockIdx.x] = rsqrtf(fmaf(-middle, middle, square / cols) + 1e-5f);
}
