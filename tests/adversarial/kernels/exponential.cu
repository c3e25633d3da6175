// y = exp(x)
#pragma ks optimize
#pragma ks workload let(n=1048576) in(x[n]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void exponential(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = expf(x[i]);
}
