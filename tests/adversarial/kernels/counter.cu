// A round of a generator over a counter of 64 bits that begins where `from` says.
#pragma ks optimize
#pragma ks workload let(n=200000) in(from[2]=randint(0,4294967295)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void counter(const unsigned *from, unsigned *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long c = ((unsigned long long)from[1] << 32 | from[0]) + i;
    y[i] = __umulhi(0xd256d193, (unsigned)c) ^ (unsigned)(c >> 32);
}
