// c = a + b beside a template of the user's.
template <class T> struct width { static constexpr int value = sizeof(T); };

#pragma ks optimize
#pragma ks workload let(n=1048576) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
