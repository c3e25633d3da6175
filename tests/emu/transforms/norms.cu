// Rows normalised through local pointers into arrays, and through a reference to an element.
#pragma ks optimize
#pragma ks workload let(rows=37,d=20) in(x[rows*d]) in(scale[d]) out(y[rows*d]) inout(top[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void norms(const float *x, const float *scale, float *y, float *top, int rows, int d)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    const float *in = x + (size_t)r * d, *last = &x[r * d + d] - 1;
    float *out = d * r + y, sum = 0.0f;
    float &most = top[r];
    for (int i = 0; i < d; i++)
        sum += in[i] * in[i];
    sum += last[0];
    for (unsigned i = 0; i < d; i++)
        out[i] = in[i] * scale[i] / (1.0f + sum);
    most = fmaxf(most, sum);
}
