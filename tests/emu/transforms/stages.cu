// Shared elements that a block's threads wrote before the loop, beside stores; a place in a nest; and what changes between
// barriers, which stays where it is.
#pragma ks optimize
#pragma ks workload let(n=128,m=9) in(x[n]) in(bound[n]=randint(0,8)) out(y[n*m]) out(z[n]) grid(ceildiv(n,32)) block(32)
__global__ void stages(const float *x, const int *bound, float *y, float *z, int n, int m)
{
    __shared__ float part[32];
    __shared__ float other[2][32];
    const int t = threadIdx.x, i = blockIdx.x * 32 + t;
    part[t] = x[i];
    __syncthreads();
    for (int k = 0; k < m; k++)
        y[i * m + k] = k * part[(t + 1) % 32];
    float sum = 0.0f;
    for (int k = 0; k < m; k++) {
        other[k % 2][t] = sum + part[t] + x[i ^ 1];
        __syncthreads();
        sum += 0.5f * other[k % 2][(t + k) % 32];
        for (int j = 0; j < bound[i] && j < k; j++)
            sum += __ldg(x + i / 2) * 0.01f;
    }
    z[i] = sum;
}
