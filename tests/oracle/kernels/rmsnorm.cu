__device__ float squared(float v)
{
    return v * v;
}

// Each row over its root mean square, times a gain; a block a row.
#pragma ks optimize
#pragma ks workload let(rows=12,cols=900) set(eps=1e-6) in(x[rows*cols]) in(gain[cols]) out(y[rows*cols]) \
    grid(rows) block(64)
__global__ void rmsnorm(const float *__restrict__ x, const float *gain, float *y, float eps, int rows, int cols)
{
    __shared__ float part[64];
    const float *from = x + (size_t)blockIdx.x * cols;
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += squared(from[i]);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    float scale = 1.0f / sqrtf(part[0] / cols + eps);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[(size_t)blockIdx.x * cols + i] = from[i] * scale * gain[i];
}
