// Blocks that walk a row by their width, a step that the compiler does not know: a sum with a choice,
// a largest element by an unsigned variable, a loop up to its limit, one that stores and one that leaves early.
__device__ static float block_total(float v)
{
    __shared__ float part[64];
    part[threadIdx.x] = v;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    v = part[0];
    __syncthreads();
    return v;
}

#pragma ks optimize
#pragma ks workload let(rows=3,n=1000) in(x[rows*n]=uniform(0.1,2)) in(w[n]) out(y[rows*n]) out(z[rows]) out(s[rows]) grid(rows) block(64)
__global__ void strided(const float *x, const float *w, float *y, float *z, float *s, int n, int rows)
{
    int row = blockIdx.x;
    float sum = 0.0f, top = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = x[row * n + i];
        sum += v > 1.0f ? w[i] : w[n - 1 - i];
    }
    for (unsigned int k = threadIdx.x; k <= n - 1; k += blockDim.x)
        top = fmaxf(top, x[row * n + k]);
    sum = block_total(sum);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[row * n + i] = x[row * n + i] - sum;
    float first = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (x[row * n + i] < 0.2f)
            break;
        first += 1.0f;
    }
    first = block_total(first);
    top = block_total(top);
    if (threadIdx.x == 0) {
        z[row] = top;
        s[row] = first + sum;
    }
}
