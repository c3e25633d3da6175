// Products of complex numbers.
#pragma ks optimize
#pragma ks workload let(n=500000) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void product(const float2 *a, const float2 *b, float2 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 x = a[i], y = b[i];
        c[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
    }
}
