// Every so many-th element from one on.
#pragma ks optimize
#pragma ks workload let(n=1000000,start=100,step=3) in(x[start+n*step]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void slice(const float *x, float *y, int n, int start, int step)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        y[i] = x[start + i * step];
}
