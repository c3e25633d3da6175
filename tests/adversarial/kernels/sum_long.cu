// The sum of numbers of up to a million.
#pragma ks optimize
#pragma ks workload let(n=5000) in(x[n]=randint(0,1000000)) out(s[1]) grid(1) block(128)
__global__ void sum_long(const unsigned *x, unsigned long long *s, int n)
{
    __shared__ unsigned long long part[128];
    unsigned long long t = 0;
    for (int i = threadIdx.x; i < n; i += 128)
        t += x[i];
    part[threadIdx.x] = t;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        s[0] = part[0];
}
