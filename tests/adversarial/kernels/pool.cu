// The largest of three by three, every other one, without what lies outside.
#pragma ks optimize
#pragma ks workload let(h=240,w=320) in(x[h*w]) out(y[ceildiv(h,2)*ceildiv(w,2)]) grid(ceildiv(w,32),ceildiv(h,8)) block(16,4)
__global__ void pool(const float *x, float *y, int h, int w)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (2 * c >= w || 2 * r >= h)
        return;
    float top = -INFINITY;
    for (int j = max(2 * r - 1, 0); j < min(2 * r + 2, h); j++)
        for (int i = max(2 * c - 1, 0); i < min(2 * c + 2, w); i++)
            top = fmaxf(top, x[j * w + i]);
    y[r * ((w + 1) / 2) + c] = top;
}
