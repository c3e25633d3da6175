// Numbers by remainders, in packs.
#pragma ks optimize
#pragma ks workload let(n=1000,m=7) in(x[n]) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void turns(const int *x, int *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * (i % m) + i / m;
}
