// Rows by blocks of one warp, whose lanes all come to have what they combine; rows counted in y, where blocks are one wide.
#pragma ks optimize
#pragma ks workload let(rows=5) let(cols=67) in(x[rows*cols]) out(y[rows*cols]) out(sums[rows]) grid(rows) block(32,1)
__global__ void single(const float *x, float *y, float *sums, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    float high = -INFINITY, sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        high = fmaxf(high, x[row * cols + c] + threadIdx.y);
#pragma unroll
    for (int m = 16; m > 0; m >>= 1)
        high = fmaxf(high, __shfl_xor_sync(0xffffffff, high, m, 32));
    for (int c = lane; c < cols; c += 32) {
        const float e = expf(x[row * cols + c] - high);
        sum += e;
        y[row * cols + c] = e;
    }
    for (int m = 16; m > 0; m >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, m, 32);
    const float scale = 1.0f / sum;
    for (int c = lane; c < cols; c += 32)
        y[row * cols + c] *= scale;
    if (lane == 0)
        sums[row] = sum;
}
