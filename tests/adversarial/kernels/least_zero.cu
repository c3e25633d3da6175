// Integers of which nothing is declared.
#pragma ks optimize
#pragma ks workload let(n=200000) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void least_zero(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}
