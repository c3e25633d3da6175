// A convolution of several channels: loops in loops, bounds tests inside.
#pragma ks optimize
#pragma ks workload let(w=40,h=21,c=3) in(in[c*w*h]) in(f[c*9]) out(out[w*h]) grid(ceildiv(w,32),ceildiv(h,4)) block(32,4)
__global__ void window(const float *in, const float *f, float *out, int w, int h, int c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w) return;
    if (y >= h) return;
    float s = 0;
    for (int k = 0; k < c; k++) {
        const float *p = in + k * w * h;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int xx = x + dx, yy = y + dy;
                if (xx >= 0 && xx < w && yy >= 0 && yy < h)
                    s += p[yy * w + xx] * f[(k * 3 + dy + 1) * 3 + dx + 1];
            }
    }
    out[y * w + x] = s;
}
