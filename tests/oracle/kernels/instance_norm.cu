// Each row less its mean over its deviation, in one reading. Of equal elements it is nothing but rounding.
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

#pragma ks optimize
#pragma ks workload let(rows=64,cols=1500) in(x[rows*cols]=uniform(-1,1)) out(y[rows*cols]) grid(rows) block(256)
__global__ void instance_norm(const float *x, float *y, int cols)
{
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    float mean = block_sum(sum) / cols;
    float scale = rsqrtf(block_sum(squares) / cols - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = (x[i] - mean) * scale;
}
