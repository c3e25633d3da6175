// A sum a block: the tree in shared memory with its neighbours interleaved.
#pragma ks optimize tol(rel=1e-4,abs=1e-4)
#pragma ks workload let(n=16777216) in(x[n]=uniform(0,1)) out(part[n/256]) grid(n/256) block(256)
__global__ void sum_blocks(const float *x, float *part, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        part[blockIdx.x] = s[0];
}
