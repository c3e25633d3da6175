// The same of a single byte.
#pragma ks optimize
#pragma ks workload let(n=1) in(x[n]=randint(0,255)) inout(h[256]=randint(0,1000)) grid(ceildiv(n,256)) block(256)
__global__ void hist(const unsigned char *x, unsigned *h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&h[x[i]], 1u);
}
