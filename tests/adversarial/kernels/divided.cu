// y = x / s
#pragma ks optimize
#pragma ks workload let(n=1048576) set(s=3) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void divided(const float *x, float *y, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / s;
}
