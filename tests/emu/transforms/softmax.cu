// Three loops along a row: an extreme, a sum that stores on the way, and stores to what was stored, through local pointers.
#pragma ks optimize
#pragma ks workload let(n=37,m=101) in(x[n*m]=uniform(-3,3)) out(y[n*m]) grid(ceildiv(n,32)) block(32)
__global__ void softmax(const float *x, float *y, int n, int m)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    const float *in = x + row * m;
    float *out = y + row * m;
    float top = -1e30f;
    for (int k = 0; k < m; k++)
        if (in[k] > top)
            top = in[k];
    float sum = 0.0f;
    for (int k = 0; k < m; k++) {
        float e = expf(in[k] - top);
        out[k] = e;
        sum += e;
    }
    float scale = 1.0f / sum;
    for (int k = 0; k < m; k++)
        out[k] *= scale;
}
