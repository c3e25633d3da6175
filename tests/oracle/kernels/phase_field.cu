// One step of a phase field: v and v^3 cancel about 1, and one sign turns both.
#pragma ks optimize
#pragma ks workload let(w=600) let(h=400) in(x[w*h]=uniform(-1,1)) out(y[w*h]) grid(ceildiv(w*h,128)) block(128)
__global__ void phase_field(const float *x, float *y, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h)
        return;
    int c = i % w, r = i / w;
    float v = x[i];
    if (c == 0 || r == 0 || c == w - 1 || r == h - 1) {
        y[i] = v;
        return;
    }
    float around = x[i - 1] + x[i + 1] + x[i - w] + x[i + w] - 4.0f * v;
    y[i] = v + 0.01f * (around - (v * v * v - v));
}
