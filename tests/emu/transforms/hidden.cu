// A sum over the block in an operator, whose shared memory neither the kernel's text nor functions that it calls show;
// and a kernel of which everything shows.
struct block {
    __device__ float operator*(float v) const
    {
        __shared__ float part[64];
        part[threadIdx.x] = v;
        __syncthreads();
        float sum = 0;
        for (int i = 0; i < 64; i++) sum += part[i];
        return sum;
    }
};
#pragma ks optimize
#pragma ks workload let(n=256) in(x[n]) out(y[n]) grid(n/64) block(64)
__global__ void hidden(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    block b;
    y[i] = b * x[i];
}
#pragma ks optimize
#pragma ks workload let(n=256) in(x[n]) out(y[n]) grid(n/64) block(64)
__global__ void plain(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0f * x[i];
}
