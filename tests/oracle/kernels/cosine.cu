// How alike two rows are: their product over the product of their lengths, each length the root of a sum of squares.
#pragma ks optimize
#pragma ks workload let(rows=40,cols=64) in(a[rows*cols]) in(b[rows*cols]) out(y[rows]) grid(rows) block(32)
__global__ void cosine(const float *a, const float *b, float *y, int cols)
{
    float aa = 0, bb = 0, ab = 0;
    for (int i = threadIdx.x; i < cols; i += 32) {
        float u = a[blockIdx.x * cols + i], v = b[blockIdx.x * cols + i];
        aa += u * u;
        bb += v * v;
        ab += u * v;
    }
    for (int step = 16; step > 0; step /= 2) {
        aa += __shfl_xor_sync(~0u, aa, step);
        bb += __shfl_xor_sync(~0u, bb, step);
        ab += __shfl_xor_sync(~0u, ab, step);
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = ab / fmaxf(sqrtf(aa) * sqrtf(bb), 1e-8f);
}
