// y = 1 / sqrt(x)
#pragma ks optimize
#pragma ks workload let(n=1048576) in(x[n]=uniform(0.01,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void inverse_root(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 1.0f / sqrtf(x[i]);
}
