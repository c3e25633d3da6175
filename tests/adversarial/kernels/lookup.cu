// A table by indices of which nothing is declared: as many as it has, and any other is a fault.
#pragma ks optimize
#pragma ks workload let(n=300000) let(m=4096) in(table[m]) in(at[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void lookup(const float *table, const int *at, float *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = table[at[i]];
}
