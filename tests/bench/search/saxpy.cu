// The textbook's first kernel, with small blocks.
#pragma ks optimize
#pragma ks workload let(n=25165824) set(a=2.5) in(x[n]=uniform(-1,1)) inout(y[n]=uniform(-1,1)) grid(ceildiv(n,64)) block(64)
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
