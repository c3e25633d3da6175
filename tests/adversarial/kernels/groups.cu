// Numbers scaled by that of their group.
#pragma ks optimize
#pragma ks workload let(n=98304,g=96) in(x[n]) in(s[ceildiv(n,g)]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void groups(const float *x, const float *s, float *y, int n, int g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * s[i / g];
}
