// y = a x + b y
#pragma ks optimize
#pragma ks workload let(n=1048576) set(a=1.5,b=0.5) in(x[n]) inout(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(const float *x, float *y, float a, float b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + b * y[i];
}
