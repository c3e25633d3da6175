// Mean and root mean square of rows by a block each: two trees at once, then one of an extreme with neighbours first.
#pragma ks optimize
#pragma ks workload let(rows=5,cols=300) in(x[rows*cols]) out(y[rows*cols]) out(top[rows]) grid(rows) block(128)
__global__ void halves(const float *x, float *y, float *top, int rows, int cols)
{
    __shared__ float sums[128], squares[128];
    const float *row = x + (size_t)blockIdx.x * cols;
    float s = 0.0f, q = 0.0f, m = -1e30f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        s += row[c];
        q += row[c] * row[c];
        m = fmaxf(m, row[c]);
    }
    sums[threadIdx.x] = s;
    squares[threadIdx.x] = q;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] = squares[threadIdx.x + half] + squares[threadIdx.x];
        }
        __syncthreads();
    }
    float mean = sums[0] / cols, spread = squares[0] / cols + 1e-3f;
    __syncthreads();
    const unsigned t = threadIdx.x;
    sums[t] = m;
#pragma unroll
    for (unsigned step = 1; step < blockDim.x; step <<= 1) {
        __syncthreads();
        if (t % (2 * step) == 0)
            if (sums[t + step] > sums[t])
                sums[t] = sums[t + step];
    }
    if (t == 0)
        top[blockIdx.x] = sums[0];
    for (int c = t; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = (row[c] - mean) / sqrtf(spread);
}
