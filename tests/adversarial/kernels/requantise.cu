// Sums of bytes' products as bytes again, by a multiplier and a shift; halves go up.
#pragma ks optimize
#pragma ks workload let(n=1<<22) set(m=1518500250,shift=38,zero=-5) in(sum[n]) out(q[n]) grid(ceildiv(n,256)) block(256)
__global__ void requantise(const int *sum, signed char *q, int m, int shift, int zero, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    long long product = (long long)sum[i] * m;
    int v = (int)((product + (1LL << (shift - 1))) >> shift) + zero;
    q[i] = (signed char)max(-128, min(127, v));
}
