// One with the sign of a number.
#pragma ks optimize
#pragma ks workload let(n=20000) in(x[n]=randint(-1000000000,1000000000)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void sign(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (x[i] > 0) - (x[i] < 0);
}
