// Both slopes of a picture from its nine neighbours, and their length.
#pragma ks optimize tol(rel=1e-5,abs=1e-6)
#pragma ks workload let(w=4096) let(h=2048) in(x[w*h]=uniform(0,1)) inout(y[w*h]=constant(0)) grid(ceildiv(w,16),ceildiv(h,16)) block(16,16)
__global__ void edges(const float *x, float *y, int w, int h)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col > 0 && row > 0 && col < w - 1 && row < h - 1) {
        const float *above = x + (row - 1) * w + col, *here = above + w, *below = here + w;
        float across = above[1] + 2.0f * here[1] + below[1] - above[-1] - 2.0f * here[-1] - below[-1];
        float down = below[-1] + 2.0f * below[0] + below[1] - above[-1] - 2.0f * above[0] - above[1];
        y[row * w + col] = sqrtf(across * across + down * down);
    }
}
