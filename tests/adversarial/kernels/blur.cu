// Mean of twenty-five, the border repeated.
#pragma ks optimize
#pragma ks workload let(h=480,w=640) in(x[h*w]) out(y[h*w]) grid(ceildiv(w,16),ceildiv(h,16)) block(16,16)
__global__ void blur(const float *x, float *y, int h, int w)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= w || r >= h)
        return;
    float sum = 0;
    for (int dr = -2; dr <= 2; dr++)
        for (int dc = -2; dc <= 2; dc++)
            sum += x[min(max(r + dr, 0), h - 1) * w + min(max(c + dc, 0), w - 1)];
    y[r * w + c] = sum * 0.04f;
}
