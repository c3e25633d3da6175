// Histograms at sizes of a GPU, written as one begins: ks tune tests/bench/templates/histograms.cu --budget 12s -- -arch=sm_90 -O3
#pragma ks optimize
#pragma ks workload let(n=1<<26) in(x[n]) inout(h[256]) grid(ceildiv(n,256)) block(256)
__global__ void hist_bytes(const unsigned char *x, unsigned *h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&h[x[i]], 1u);
}
#pragma ks optimize
#pragma ks workload let(n=1<<25) let(bins=1000) in(x[n]=uniform(0,1)) inout(h[bins]) grid(ceildiv(n,256)) block(256)
__global__ void hist_floats(const float *x, int *h, int n, int bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int b = (int)(x[i] * bins);
        if (b >= 0 && b < bins)
            atomicAdd(&h[b], 1);
    }
}
#pragma ks optimize
#pragma ks workload let(n=1<<25) in(x[n]) inout(h[64]) grid(264) block(256)
__global__ void hist_clamped(const float *__restrict__ x, int *h, int n)
{
    __shared__ int own[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int b = min(max(__float2int_rd(__ldg(&x[i]) * 32.0f) + 32, 0), 63);
        atomicAdd(&own[b], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        atomicAdd(&h[i], own[i]);
}
