// Three interleaved channels: each access is strided.
#pragma ks optimize
#pragma ks workload let(n=16777216) in(rgb[3*n]=uniform(0,1)) out(grey[n]) grid(ceildiv(n,256)) block(256)
__global__ void rgb_to_grey(const float *rgb, float *grey, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        grey[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
}
