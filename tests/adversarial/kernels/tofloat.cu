// Whole numbers of 64 bits as floats.
#pragma ks optimize
#pragma ks workload let(n=200000) in(x[n]=randint(0,9000000000000000000)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void tofloat(const unsigned long long *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (float)x[i];
}
