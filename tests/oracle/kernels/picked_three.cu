// How likely three of four neighbours are together, those that follow a drawn one: out of an array of the thread's own.
#pragma ks optimize
#pragma ks workload let(n=20000) in(x[4*n]=uniform(0.5,1)) in(from[n]=randint(0,3)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void picked_three(const float *x, const int *from, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float own[4];
    for (int k = 0; k < 4; k++)
        own[k] = x[4 * i + k];
    int f = from[i] & 3;
    y[i] = expf(-(own[f] + own[f + 1 & 3] + own[f + 2 & 3]));
}
