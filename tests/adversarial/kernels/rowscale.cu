// Each row times its own factor.
#pragma ks optimize
#pragma ks workload let(rows=700,cols=900) in(x[rows*cols]) in(s[rows]) out(y[rows*cols]) grid(ceildiv(cols,64),rows) block(64)
__global__ void rowscale(const float *x, const float *s, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < cols)
        y[r * cols + c] = x[r * cols + c] * s[r];
}
