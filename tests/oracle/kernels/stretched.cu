// Each weight times the logarithm of its number, and the weight once more.
#pragma ks optimize
#pragma ks workload let(n=1048576) in(x[n]=uniform(0.1,10)) in(w[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void stretched(const float *x, const float *w, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = logf(x[i]) * w[i] + w[i];
}
