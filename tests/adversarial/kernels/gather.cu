// Four elements each, weighted; of so many that indices follow each other by design alone.
#pragma ks optimize
#pragma ks workload let(n=200000) in(idx[4*n]=randint(0,1048575)) in(x[1048576]) in(w[4]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void gather(const int *idx, const float *x, const float *w, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += w[k] * x[idx[4 * i + k]];
    y[i] = sum;
}
