// A filter whose taps are read from memory.
#pragma ks optimize
#pragma ks workload let(n=8388608) let(taps=32) in(x[n+taps]=uniform(-1,1)) in(f[taps]=uniform(-0.2,0.2)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void filter_taps(const float *x, const float *f, float *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int t = 0; t < taps; t++)
        sum += x[i + t] * f[t];
    y[i] = sum;
}
