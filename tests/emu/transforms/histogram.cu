#pragma ks optimize
#pragma ks workload let(n=5003,bins=37) in(x[n]=randint(0,36)) inout(count[bins]=randint(0,9)) grid(ceildiv(n,128)) block(128)
__global__ void histogram(const unsigned char *x, unsigned *count, int n, int bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = x[i];
    if (v >= bins)
        return;
    atomicAdd(&count[v], 1u);
}
