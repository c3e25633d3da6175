// Three arrays of doubles.
#pragma ks optimize
#pragma ks workload let(n=12582912) set(s=0.75) in(b[n]=uniform(-1,1)) in(c[n]=uniform(-1,1)) out(a[n]) grid(ceildiv(n,1024)) block(1024)
__global__ void triad_double(double *a, const double *b, const double *c, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i] + s * c[i];
}
