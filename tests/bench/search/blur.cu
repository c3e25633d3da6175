// Nine points with clamped edges.
#pragma ks optimize
#pragma ks workload let(w=4096) let(h=4096) in(in[w*h]=uniform(0,1)) out(out[w*h]) grid(ceildiv(w,32),ceildiv(h,8)) block(32,8)
__global__ void blur(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            sum += in[yy * w + xx];
        }
    out[y * w + x] = sum * (1.0f / 9.0f);
}
