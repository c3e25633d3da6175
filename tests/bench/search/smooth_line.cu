// Five points of a line.
#pragma ks optimize
#pragma ks workload let(n=33554432) in(x[n]=uniform(-1,1)) inout(y[n]=constant(0)) grid(ceildiv(n,256)) block(256)
__global__ void smooth_line(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i < n - 2)
        y[i] = 0.1f * x[i - 2] + 0.2f * x[i - 1] + 0.4f * x[i] + 0.2f * x[i + 1] + 0.1f * x[i + 2];
}
