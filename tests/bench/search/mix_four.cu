// Several arrays, none declared apart.
#pragma ks optimize
#pragma ks workload let(n=12582912) in(a[n]=uniform(-1,1)) in(b[n]=uniform(-1,1)) in(c[n]=uniform(-1,1)) in(d[n]=uniform(-1,1)) \
    out(out[n]) grid(ceildiv(n,128)) block(128)
__global__ void mix_four(const float *a, const float *b, const float *c, const float *d, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = a[i] * b[i] + c[i] * d[i];
}
