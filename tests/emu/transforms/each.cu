// Rows by warps, several of which a block has.
#pragma ks optimize
#pragma ks workload let(rows=9) let(cols=67) in(x[rows*cols]) in(w[cols]) out(y[rows*cols]) out(mean[rows]) grid(ceildiv(rows*32,128)) block(128)
__global__ void each(const float *x, const float *w, float *y, float *mean, int rows, int cols)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.x * (blockDim.x / 32) + warp;
    if (row >= rows)
        return;
    const float *from = x + row * cols;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += from[c];
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, o);
    const float m = sum / cols;
    sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += (from[c] - m) * (from[c] - m);
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, o);
    const float s = rsqrtf(sum / cols + 1e-5f);
    if (lane == 0)
        mean[row] = m;
    for (int c = lane; c < cols; c += 32)
        y[row * cols + c] = (from[c] - m) * s * w[c];
}
