// A grid-stride loop whose start, step and another number are declared together.
#pragma ks optimize
#pragma ks workload let(n=1111) in(a[n]) out(b[n]) grid(3) block(64)
__global__ void shares(const float *a, float *b, int n)
{
    int half = n / 2, first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
    for (int i = first; i < n; i += step)
        b[i] = a[i] + a[i < half ? i : half];
}
