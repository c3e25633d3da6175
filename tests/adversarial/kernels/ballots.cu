// A bit for each quotient that is greater than a limit, a word for 32 of them.
#pragma ks optimize
#pragma ks workload let(n=1<<15) set(c=0.7) in(x[32*n]) in(y[32*n]=uniform(0.1,2)) out(mask[n]) grid(n) block(32)
__global__ void ballots(const float *x, const float *y, unsigned *mask, float c, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    unsigned bits = __ballot_sync(~0u, x[i] / y[i] > c);
    if (threadIdx.x == 0)
        mask[blockIdx.x] = bits;
}
