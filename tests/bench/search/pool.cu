// The largest of each four pixels.
#pragma ks optimize
#pragma ks workload let(w=4096) let(h=2048) in(in[4*w*h]=normal(0,1)) out(out[w*h]) grid(ceildiv(w,8),ceildiv(h,8)) block(8,8)
__global__ void pool(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const float *p = in + (2 * y) * (2 * w) + 2 * x;
    out[y * w + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[2 * w], p[2 * w + 1]));
}
