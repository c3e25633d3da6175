// Whether a quotient is above a limit.
#pragma ks optimize
#pragma ks workload let(n=1000000) set(limit=0.8) in(x[n]) in(y[n]) out(above[n]) grid(ceildiv(n,256)) block(256)
__global__ void exceeds(const float *x, const float *y, int *above, float limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        above[i] = x[i] / fabsf(y[i]) > limit;
}
