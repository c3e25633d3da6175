// Kernels whose threads all repeat one sum, each of other terms.
#pragma ks optimize budget(1)
#pragma ks workload let(n=8192) let(taps=256) in(x[n]) in(c[taps]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void plus(const unsigned *x, const unsigned *c, unsigned *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = 0;
    for (int k = 0; k < taps; k++)
        s += c[k] + (unsigned)k;
    y[i] = x[i] ^ s;
}

#pragma ks optimize budget(1)
#pragma ks workload let(n=8192) let(taps=256) in(x[n]) in(c[taps]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void times(const unsigned *x, const unsigned *c, unsigned *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = 0;
    for (int k = 0; k < taps; k++)
        s += c[k] * (unsigned)(2 * k + 1);
    y[i] = x[i] ^ s;
}

#pragma ks optimize budget(1)
#pragma ks workload let(n=8192) let(taps=256) in(x[n]) in(c[taps]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void minus(const unsigned *x, const unsigned *c, unsigned *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = 0;
    for (int k = 0; k < taps; k++)
        s += c[k] - (unsigned)k * 3u;
    y[i] = x[i] ^ s;
}
