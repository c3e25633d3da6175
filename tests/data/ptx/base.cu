// One kernel with a helper, a table, shared memory and an assert: what moved.cu must match.
#include <cassert>
static __device__ __noinline__ float decay(float x, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x * i * s;
    return s;
}
__global__ void __launch_bounds__(128) blend(float *x, int n)
{
    static __constant__ float table[4] = {1, 2, 4, 8};
    __shared__ float tile[128];
    extern __shared__ float more[];
    assert(n > 0);
    tile[threadIdx.x] = x[threadIdx.x];
    more[threadIdx.x] = 1.0f;
    __syncthreads();
    if (n > 7)
        x[n] = decay(tile[threadIdx.x ^ 1], n) + table[n & 3] + more[n];
}
