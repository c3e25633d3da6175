// c = a + b, beside a kernel of the user's that calls a helper with a number the compiler can see
static __device__ __noinline__ float series(float v, int k)
{
    for (int i = 0; i < k; i++)
        v = v * v + k;
    return v;
}
#pragma ks optimize
#pragma ks workload let(n=1000000) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void beside(float *v)
{
    v[threadIdx.x] = series(v[threadIdx.x], 3);
}
