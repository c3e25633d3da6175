// Batch norm's statistics by sums of elements and of squares. Of one element the variance is what rounding its square left,
// and of far ones it is a small difference of large sums: there the result is mostly rounding.
#pragma ks optimize
#pragma ks workload let(rows=8,cols=512) in(x[rows*cols]=uniform(-1,1)) out(mean[rows]) out(scale[rows]) grid(rows) block(256)
__global__ void statistics(const float *x, float *mean, float *scale, int rows, int cols)
{
    __shared__ float sums[256], squares[256];
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < cols; i += 256) {
        float v = x[blockIdx.x * cols + i];
        sum += v;
        square += v * v;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        float middle = sums[0] / cols;
        mean[blockIdx.x] = middle;
        scale[blockIdx.x] = rsqrtf(fmaf(-middle, middle, squares[0] / cols) + 1e-5f);
    }
}
