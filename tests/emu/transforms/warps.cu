// Rows whose sums and extremes meet by shuffles: in functions, one of a warp in one of the block, and in the kernel.
__device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}
__device__ float block_sum(float v)
{
    static __shared__ float partial[32];
    const int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
    v = warp_sum(v);
    if (lane == 0)
        partial[wid] = v;
    __syncthreads();
    v = (threadIdx.x < blockDim.x / 32) ? partial[lane] : 0.0f;
    if (wid == 0)
        v = warp_sum(v);
    return v;
}

#pragma ks optimize
#pragma ks workload let(rows=5) let(cols=131) in(x[rows*cols]) out(y[rows*cols]) out(sums[rows]) out(top[rows]) grid(rows) block(64)
__global__ void spread(const float *x, float *y, float *sums, float *top, int cols)
{
    __shared__ float best[32], scale;
    const unsigned lane = threadIdx.x & (warpSize - 1), warp = threadIdx.x >> 5;
    const float *row = x + blockIdx.x * cols;
    float sum = 0.0f, high = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        sum += fabsf(row[c]);
        high = fmaxf(high, row[c]);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        scale = 1.0f / (sum + 1.0f);
    }
#pragma unroll
    for (int k = 1; k < 32; k *= 2)
        high = fmaxf(__shfl_xor_sync(~0u, high, k), high);
    if (!lane)
        best[warp] = high;
    __syncthreads();
    if (warp == 0) {
        float all = lane < (blockDim.x + 31) / 32 ? best[lane] : -INFINITY;
        for (int k = warpSize / 2; k >= 1; k /= 2)
            all = max(all, __shfl_down_sync(-1, all, k));
        if (lane == 0)
            top[blockIdx.x] = all;
    }
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[blockIdx.x * cols + c] = row[c] * scale;
}
