// Mean and variance of each row by one block a row, in shared memory.
#pragma ks optimize tol(rel=1e-4,abs=1e-5)
#pragma ks workload let(rows=16384) let(cols=1024) set(eps=1e-5) in(x[rows*cols]=normal(0,1)) out(y[rows*cols]) grid(rows) block(256)
__global__ void norm_layer(const float *x, float *y, float eps, int rows, int cols)
{
    __shared__ float sums[256], squares[256];
    const float *row = x + (size_t)blockIdx.x * cols;
    float s = 0.0f, q = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        s += row[c];
        q += row[c] * row[c];
    }
    sums[threadIdx.x] = s;
    squares[threadIdx.x] = q;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
        __syncthreads();
    }
    float mean = sums[0] / cols, inverse = rsqrtf(squares[0] / cols - mean * mean + eps);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = (row[c] - mean) * inverse;
}
