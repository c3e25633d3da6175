// The same without functions: trees in the kernel, an array for two of them, a number in shared memory for all, rows in
// y, and a loop round it all that no thread differs in.
#pragma ks optimize
#pragma ks workload let(rows=5) let(cols=140) let(parts=2) in(x[parts*rows*cols]=uniform(-2,2)) inout(y[rows*cols]) out(all[rows]) grid(1, rows) block(128)
__global__ void weighed(const float *x, float *y, float *all, int rows, int cols, int parts)
{
    __shared__ float part[128], share;
    float total = 0.0f;
    for (int p = 0; p < parts; ++p) {
        const float *from = x + (p * rows + blockIdx.y) * cols;
        float most = from[0], sum = 0;
        for (int c = threadIdx.x; c < cols; c = c + 128)
            if (from[c] > most)
                most = from[c];
        part[threadIdx.x] = most;
        __syncthreads();
        for (int h = 64; h > 0; h >>= 1) {
            if (threadIdx.x < h)
                part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + h]);
            __syncthreads();
        }
        most = part[0];
        __syncthreads();
        for (int c = threadIdx.x; c < cols; c += blockDim.x) {
            sum += expf(from[c] - most);
            total += from[c];
        }
        part[threadIdx.x] = sum;
        for (int step = 1; step < 128; step *= 2) {
            __syncthreads();
            if (threadIdx.x % (2 * step) == 0)
                part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + step];
        }
        if (threadIdx.x == 0)
            share = 1.0f / part[0];
        __syncthreads();
        for (int c = threadIdx.x; c < cols; c += blockDim.x)
            y[blockIdx.y * cols + c] += expf(from[c] - most) * share;
        __syncthreads();
    }
    part[threadIdx.x] = total;
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h >>= 1) {
        if (threadIdx.x < h)
            part[threadIdx.x] += part[threadIdx.x + h];
        __syncthreads();
    }
    if (!threadIdx.x)
        all[blockIdx.y] = part[0];
}
