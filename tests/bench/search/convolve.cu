// 25 weights round each pixel.
#pragma ks optimize
#pragma ks workload let(w=2048) let(h=2048) in(in[w*h]=uniform(0,1)) in(weights[25]=uniform(-0.2,0.2)) inout(out[w*h]=constant(0)) \
    grid(ceildiv(w,16),ceildiv(h,16)) block(16,16)
__global__ void convolve(const float *in, const float *weights, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2)
        return;
    float sum = 0.0f;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights[dy * 5 + dx] * in[(y + dy - 2) * w + x + dx - 2];
    out[y * w + x] = sum;
}
