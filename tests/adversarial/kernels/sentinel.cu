// y = 2 x, and 0 where x says that nothing was measured
#pragma ks optimize
#pragma ks workload let(n=1048576) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void twice(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] == -999.f ? 0 : 2 * x[i];
}
