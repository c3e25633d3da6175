// c = a + b beside another kernel and a function that both could be made to share.
__device__ float halve(float x)
{
    return 0.5f * x;
}

#pragma ks optimize
#pragma ks workload let(n=1048576) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void shrink(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = halve(x[i]);
}
