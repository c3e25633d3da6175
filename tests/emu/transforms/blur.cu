// Weights of a square, by loops whose ends the text tells; edges are left out element by element.
#pragma ks optimize
#pragma ks workload let(w=75) let(h=37) in(in[w*h]=uniform(0,1)) in(k[25]=uniform(-1,1)) out(out[w*h]) grid(ceildiv(w,32), ceildiv(h,8)) block(32,8)
__global__ void blur(const float *in, const float *k, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, r = 2;
    if (x >= w || y >= h)
        return;
    float s = 0;
    for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx < r + 1; ++dx) {
            int row = y + dy, col = x + dx;
            if (row >= 0 && row < h && col >= 0 && col < w)
                s += in[row * w + col] * k[(dy + r) * 5 + dx + r];
        }
    out[y * w + x] = s;
}
