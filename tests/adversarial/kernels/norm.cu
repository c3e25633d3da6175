// The length of each row, scaled by its largest number so that no square overflows.
#pragma ks optimize
#pragma ks workload let(rows=300,cols=1000) in(x[rows*cols]) out(y[rows]) grid(rows) block(32)
__global__ void norm(const float *x, float *y, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float top = 0, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32)
        top = fmaxf(top, fabsf(row[i]));
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    for (int i = threadIdx.x; i < cols; i += 32) {
        float v = top > 0 ? row[i] / top : row[i];
        sum += v * v;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0)
        y[blockIdx.x] = top > 0 ? top * sqrtf(sum) : sqrtf(sum);
}
