// Integers: pairs of a strided index, a product, a width of the block's, atomics at the end.
#pragma ks optimize
#pragma ks workload let(n=1000) in(x[n]=randint(0,100)) inout(sum[1]=constant(0)) out(part[ceildiv(n,256)]) grid(ceildiv(n,256)) block(256)
__global__ void spread(const int *x, int *sum, unsigned *part, int n)
{
    __shared__ int a[256];
    __shared__ unsigned b[256];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    a[tid] = i < n ? x[i] : 0;
    b[tid] = i < n ? x[i] | 1 : 1;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockDim.x)
            a[index] += a[index + s];
        __syncthreads();
    }
    for (int s = blockDim.x >> 1; s >= 1; s >>= 1) {
        if (s > tid) {
            b[tid] *= b[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) {
        atomicAdd(sum, a[0]);
        part[blockIdx.x] = b[0];
    }
}
