// Sums and sizes of clusters: two arrays, one of them of two values a cluster, in a grid-stride loop.
#pragma ks optimize
#pragma ks workload let(n=3001,k=11) in(x[n]) in(y[n]) in(label[n]=randint(0,10)) inout(sum[2*k]=constant(0)) inout(size[k]=constant(0)) grid(7) block(96)
__global__ void clusters(const float *x, const float *y, const int *label, float *sum, int *size, int n, int k)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int c = label[i];
        if (c < 0 || c >= k)
            continue;
        atomicAdd(&sum[2 * c], x[i]);
        atomicAdd(&sum[2 * c + 1], y[i]);
        atomicAdd(&size[c], 1);
    }
}
