// How many bits numbers have, less one.
#pragma ks optimize
#pragma ks workload let(n=20000) in(x[n]=randint(1,2000000000)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void bits(const unsigned *x, unsigned char *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned char more = 0;
    for (unsigned rest = x[i]; rest > 1; rest /= 2)
        more++;
    y[i] = more;
}
