// Rows whose work the threads of a block share: sums and extremes meet in functions that hold a tree, what the first
// thread stores, and a second way over the row.
__device__ static inline float block_sum(float value)
{
    __shared__ float part[1024];
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    value = part[0];
    __syncthreads();
    return value;
}
__device__ float largest_of(const float own)
{
    __shared__ float best[64];
    best[threadIdx.x] = own;
    for (int half = 32; half >= 1; half >>= 1) {
        __syncthreads();
        if (half > threadIdx.x)
            if (best[threadIdx.x] < best[threadIdx.x + half])
                best[threadIdx.x] = best[threadIdx.x + half];
    }
    return best[0];
}
__device__ float size_of(float v) { return fabsf(v) + 0.5f; }

#pragma ks optimize
#pragma ks workload let(rows=6) let(cols=203) in(x[rows*cols]) in(w[cols]) out(y[rows*cols]) out(means[rows]) out(top[rows]) out(bad[1]) grid(rows) block(64)
__global__ void normalise(const float *x, const float *w, float *y, float *means, float *top, int *bad, int rows, int cols)
{
    const int tid = threadIdx.x, row = blockIdx.x;
    if (row >= rows)
        return;
    x += row * cols;
    float sum = 0.0f, sizes = 0.0f, high = -3.0f;
    for (int i = tid; i < cols; i += blockDim.x) {
        float v = x[i];
        sum += v;
        sizes += size_of(v);
        high = fmaxf(high, v);
    }
    const float mean = block_sum(sum) / cols;
    sizes = block_sum(sizes);
    high = largest_of(high);
    if (tid == 0) {
        means[row] = mean;
        top[row] = high;
        if (row == 0)
            bad[0] = cols < 3 ? 1 : 2;
    }
    const float scale = cols / sizes;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[row * cols + i] = x[i] * scale * w[i];
}
