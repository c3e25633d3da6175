// Which tenth of a range numbers lie in.
#pragma ks optimize
#pragma ks workload let(n=20000) in(x[n]=uniform(0,1)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void tenths(const double *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = max(0, min((int)(x[i] * 10.0), 9));
}
