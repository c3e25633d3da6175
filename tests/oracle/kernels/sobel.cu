// Strength of edges: eight neighbours, two sums without a loop, a root.
#pragma ks optimize
#pragma ks workload let(w=70,h=50) in(x[w*h]) out(y[w*h]) grid(ceildiv(w,32),ceildiv(h,4)) block(32,4)
__global__ void sobel(const float *x, float *y, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h)
        return;
    int l = max(i - 1, 0), r = min(i + 1, w - 1);
    const float *up = x + (size_t)max(j - 1, 0) * w, *at = x + (size_t)j * w, *down = x + (size_t)min(j + 1, h - 1) * w;
    float across = up[r] - up[l] + 2 * (at[r] - at[l]) + down[r] - down[l];
    float along = down[l] + 2 * down[i] + down[r] - up[l] - 2 * up[i] - up[r];
    y[(size_t)j * w + i] = sqrtf(across * across + along * along);
}
