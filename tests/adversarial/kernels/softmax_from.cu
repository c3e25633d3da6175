// Softmax of rows, each by a block, its maximum from -1e20 on.
#pragma ks optimize
#pragma ks workload let(rows=256,cols=1000) in(x[rows*cols]=uniform(-4,4)) out(y[rows*cols]) grid(rows) block(64)
__global__ void softmax_from(const float *x, float *y, int cols)
{
    __shared__ float part[64];
    const float *r = x + (size_t)blockIdx.x * cols;
    float m = -1e20f;
    for (int i = threadIdx.x; i < cols; i += 64)
        m = fmaxf(m, r[i]);
    part[threadIdx.x] = m;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    m = part[0];
    __syncthreads();
    float s = 0;
    for (int i = threadIdx.x; i < cols; i += 64)
        s += expf(r[i] - m);
    part[threadIdx.x] = s;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    s = part[0];
    for (int i = threadIdx.x; i < cols; i += 64)
        y[(size_t)blockIdx.x * cols + i] = expf(r[i] - m) / s;
}
