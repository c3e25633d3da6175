// Rows divided by a number each.
#pragma ks optimize
#pragma ks workload let(rows=300,cols=1000) in(x[rows*cols]) in(s[rows]) out(y[rows*cols]) grid(ceildiv(cols,64),rows) block(64)
__global__ void rowquotient(const float *x, const float *s, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * cols + c;
    if (c < cols)
        y[i] = x[i] / s[blockIdx.y];
}
