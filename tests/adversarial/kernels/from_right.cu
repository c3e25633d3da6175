// Four times each element, from its neighbour to the right.
#pragma ks optimize
#pragma ks workload let(n=16384) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void from_right(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = i + 1 < n ? 4.0f * x[i + 1] : 0.0f;
}
