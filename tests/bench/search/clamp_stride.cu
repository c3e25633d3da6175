// A grid-stride loop.
#pragma ks optimize
#pragma ks workload let(n=33554432) set(lo=-0.5, hi=0.5) in(x[n]=uniform(-1,1)) out(y[n]) grid(2048) block(256)
__global__ void clamp_stride(const float *x, float *y, float lo, float hi, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = fminf(fmaxf(x[i], lo), hi);
}
