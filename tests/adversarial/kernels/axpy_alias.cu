// y += a x, also with one array for both.
#pragma ks optimize
#pragma ks workload name(apart) let(n=1048576) set(a=2.0) in(x[n]) inout(y[n]) grid(ceildiv(n,256)) block(256)
#pragma ks workload name(same) let(n=1048576) set(a=2.0) inout(y[n]) alias(x,y) grid(ceildiv(n,256)) block(256)
__global__ void axpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
