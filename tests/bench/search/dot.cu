// One address for all threads.
#pragma ks optimize tol(rel=1e-3,abs=1e-1)
#pragma ks workload let(n=262144) in(x[n]=uniform(0,1)) in(y[n]=uniform(0,1)) inout(sum[1]=constant(0)) grid(ceildiv(n,256)) block(256)
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, x[i] * y[i]);
}
