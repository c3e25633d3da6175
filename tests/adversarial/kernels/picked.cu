// Flags and indices of which nothing is declared; the indices have to lie in x.
#pragma ks optimize
#pragma ks workload let(n=100000) let(m=1000) in(x[m]) in(at[n]) in(flag[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void picked(const float *x, const int *at, const unsigned char *flag, float *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = flag[i] > 7 ? x[at[i]] : 0.f;
}
