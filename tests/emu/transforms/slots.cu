// Sums into elements whose places are in memory, and a weight that only some of the threads need.
#pragma ks optimize
#pragma ks workload let(n=37,m=40) in(a[m]) in(weight[n]) in(slot[n]=randint(0,36)) inout(y[2*n]) grid(ceildiv(n,64)) block(64)
__global__ void slots(const float *a, const float *weight, const int *slot, float *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int own = i % 2;
        for (int j = 0; j < m; j++)
            y[slot[i] / 37 * n + i] += a[j] * (own ? expf(weight[i]) : 0.5f);
        for (int j = 0; j < m; j++) {
            if (a[j] > 0.5f)
                continue;
            y[n + i] += a[j] / (1.0f + weight[slot[i]]);
        }
    }
}
