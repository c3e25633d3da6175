// The sum of x by one block; its user asks for two digits.
#pragma ks optimize tol(rel=0.01)
#pragma ks workload let(n=1048576) in(x[n]=uniform(0,1)) out(out[1]) grid(1) block(256)
__global__ void sum(const float *x, float *out, int n)
{
    __shared__ float part[256];
    float s = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        s += x[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = part[0];
}
