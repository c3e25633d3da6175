// Numbers to a power.
#pragma ks optimize
#pragma ks workload let(n=1<<20) set(p=1.7) in(x[n]=uniform(0,4)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void power_of(const float *x, float *y, float p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = powf(x[i], p);
}
