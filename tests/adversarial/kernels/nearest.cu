// The nearest whole number: nothing is rounded but to that.
#pragma ks optimize
#pragma ks workload let(n=4000) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void nearest(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = rintf(x[i]);
}
