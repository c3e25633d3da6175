// ks: optimize
// ks: workload let(n=4096) set(a=2) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}

void run(float *y, float *x, int n) { scale<<<(n + 255) / 256, 256>>>(y, x, 2.f, n); }
