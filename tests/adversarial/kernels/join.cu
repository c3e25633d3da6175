// a, and b behind it.
#pragma ks optimize
#pragma ks workload let(n=90000,m=70000) in(a[n]) in(b[m]) out(c[n+m]) grid(ceildiv(n+m,128)) block(128)
__global__ void join(const float *a, const float *b, float *c, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i];
    else if (i < n + m)
        c[i] = b[i - n];
}
