// Each row less its mean over its deviation, and the mean. The variance is the difference of two means: of a row of one
// large number its root is none wherever rounding leaves less than nothing.
#pragma ks optimize
#pragma ks workload let(rows=64,cols=300) in(x[rows*cols]) out(y[rows*cols]) out(means[rows]) grid(rows) block(64)
#pragma ks workload let(rows=64,cols=1) in(x[rows*cols]) out(y[rows*cols]) out(means[rows]) grid(rows) block(64)
__global__ void one_pass_norm(const float *x, float *y, float *means, int rows, int cols)
{
    __shared__ float sums[64], squares[64];
    const float *from = x + (size_t)blockIdx.x * cols;
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        sum += from[i];
        square += from[i] * from[i];
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
        __syncthreads();
    }
    float mean = sums[0] / cols;
    float scale = rsqrtf(fmaf(-mean, mean, squares[0] / cols) + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[(size_t)blockIdx.x * cols + i] = (from[i] - mean) * scale;
    if (threadIdx.x == 0)
        means[blockIdx.x] = mean;
}
