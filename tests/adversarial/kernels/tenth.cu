// The tenth of each, rounded down.
#pragma ks optimize
#pragma ks workload let(n=200000) in(x[n]=randint(0,1073741829)) out(q[n]) grid(ceildiv(n,256)) block(256)
__global__ void tenth(const unsigned *x, unsigned *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i] = x[i] / 10;
}
