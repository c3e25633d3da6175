// Adds the sum of x to out, in an order that changes from run to run.
#pragma ks optimize
#pragma ks workload let(n=262144) in(x[n]) inout(out[1]) grid(ceildiv(n,256)) block(256)
__global__ void sum_atomic(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, x[i]);
}
