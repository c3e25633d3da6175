// y = x where it is not negative, else 0: chooses, and rounds nothing
#pragma ks optimize
#pragma ks workload let(n=1048576) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void relu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] < 0 ? 0 : x[i];
}
