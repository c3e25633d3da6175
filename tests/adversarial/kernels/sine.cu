// Sines of any angle.
#pragma ks optimize
#pragma ks workload let(n=1000000) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void sine(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sinf(x[i]);
}
