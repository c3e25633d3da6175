// Atomics on few addresses.
#pragma ks optimize
#pragma ks workload let(n=4194304) in(x[n]=randint(0,255)) inout(bins[256]=constant(0)) grid(ceildiv(n,256)) block(256)
__global__ void histogram(const unsigned char *x, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[x[i]], 1u);
}
