// Sums of rows of a map at sizes of a GPU, written as one begins: ks tune tests/bench/templates/rows.cu --budget 12s -- -arch=sm_90 -O3
#pragma ks optimize
#pragma ks workload let(rows=1<<15, n=4096) in(p[rows*n]=uniform(0.1,1)) in(q[rows*n]=uniform(0.1,1)) out(y[rows]) grid(rows) block(256)
__global__ void divergence(const float *p, const float *q, float *y, int n)
{
    __shared__ float part[256];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float u = p[(size_t)blockIdx.x * n + i], v = q[(size_t)blockIdx.x * n + i];
        sum += u * (logf(u) - logf(v));
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}
#pragma ks optimize
#pragma ks workload let(rows=1<<20, n=64) in(x[rows*n]) in(w[n]) in(to[rows]) out(y[rows]) grid(ceildiv(rows,256)) block(256)
__global__ void weighed_distance(const float *x, const float *w, const float *to, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < n; c++)
        sum += fabsf(x[(size_t)r * n + c] - to[r]) * w[c];
    y[r] = sum;
}
