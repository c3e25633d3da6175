// The geometric mean of two numbers, by a root each.
#pragma ks optimize
#pragma ks workload let(n=1000000) in(a[n]=uniform(0.1,10)) in(b[n]=uniform(0.1,10)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void roots(const float *a, const float *b, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sqrtf(fabsf(a[i])) * sqrtf(fabsf(b[i]));
}
