// Reads wherever an index says.
#pragma ks optimize
#pragma ks workload let(n=8388608) in(x[8388608]=uniform(-1,1)) in(at[n]=randint(0,8388607)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void gather(const float *x, const int *at, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[at[i]];
}
