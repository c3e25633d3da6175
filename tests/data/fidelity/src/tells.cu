#include "tells.cuh"
#include "tells.cuh"

// ks: optimize
// ks: workload let(n=4096) set(a=2) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}

int main()
{
    tell_header();
    TELL("main");
    if (__COUNTER__ > 9)
        scale<<<1, 256>>>(nullptr, nullptr, 2.f, 0);
}
