// Rows through pointers that are moved to them, forth and back.
#pragma ks optimize
#pragma ks workload let(rows=37,d=20) in(x[rows*d]) in(scale[d]) out(y[rows*d]) grid(ceildiv(rows,32)) block(32)
__global__ void moved(const float *x, const float *scale, float *y, int rows, int d)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    x += (size_t)r * d;
    float *out = y + rows * d, sum = *x * x[0];
    out -= (rows - r) * d;
    for (int i = 1; i < d; i++)
        sum += x[i] * x[i];
    for (int i = 0; i < d; i++)
        out[i] = x[i] * scale[i] / (1.0f + sum);
}
