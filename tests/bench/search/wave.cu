// A step of a wave: two old planes, one new.
#pragma ks optimize
#pragma ks workload let(w=4096) let(h=3072) set(c=0.2) in(now[w*h]=uniform(-1,1)) inout(old[w*h]=uniform(-1,1)) \
    grid(ceildiv(w,16),ceildiv(h,16)) block(16,16)
__global__ void wave(const float *now, float *old, float c, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int i = y * w + x;
        float around = now[i - 1] + now[i + 1] + now[i - w] + now[i + w];
        old[i] = 2.0f * now[i] - old[i] + c * (around - 4.0f * now[i]);
    }
}
