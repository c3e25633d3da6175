// Which bin of a width numbers lie in.
#pragma ks optimize
#pragma ks workload let(n=20000) set(width=0.7) in(x[n]=uniform(0,70)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void bins(const float *x, int *y, float width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = max(0, min((int)(x[i] / width), 99));
}
