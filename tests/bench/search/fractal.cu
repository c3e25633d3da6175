// Threads that run unequally long.
#pragma ks optimize
#pragma ks workload let(w=2048) let(h=1024) set(limit=128) out(count[w*h]) grid(ceildiv(w,16),ceildiv(h,16)) block(16,16)
__global__ void fractal(int *count, int w, int h, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h)
        return;
    float cx = -2.0f + 3.0f * px / w, cy = -1.0f + 2.0f * py / h, x = 0.0f, y = 0.0f;
    int n = 0;
    while (n < limit && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    count[py * w + px] = n;
}
