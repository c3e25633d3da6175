// Row sums of sines with weights, a thread a row.
#pragma ks optimize
#pragma ks workload let(rows=4096,cols=1000) in(x[rows*cols]) in(w[rows*cols]) out(y[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void sines(const float *x, const float *w, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float s = 0;
    for (int c = 0; c < cols; c++)
        s += sinf(x[r * cols + c]) * w[r * cols + c];
    y[r] = s;
}
