// Small powers alone: without a word on precision in the mark.
#pragma ks optimize
#pragma ks workload let(n=4099) set(s=1.5) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void cubes(const float *x, float *y, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i] / s;
    y[i] = powf(v, 3) + powf(v, 2.0f) * 0.5f + powf(1.0f - v, 4.0f) + expf(-v);
}
