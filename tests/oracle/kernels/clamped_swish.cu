// A swish that is clamped: where sums are infinite, which infinity or NaN they are shows as one of two numbers.
#pragma ks optimize
#pragma ks workload let(rows=2048) let(n=512) in(x[rows*n]=uniform(-1,1)) in(w[n]=uniform(-0.1,0.1)) out(y[rows]) \
    grid(ceildiv(rows,128)) block(128)
__global__ void clamped_swish(const float *x, const float *w, float *y, int rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float v = 0.0f;
    for (int i = 0; i < n; i++)
        v += x[row * n + i] * w[i];
    v = v / (1.0f + expf(-v)) / 2.0f;
    y[row] = tanhf(fminf(fmaxf(v, -1.0f), 1.0f));
}
