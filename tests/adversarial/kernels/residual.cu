// What is left of b by A x, in double.
#pragma ks optimize
#pragma ks workload let(rows=2000,n=300) in(a[rows*n]) in(x[n]) in(b[rows]) out(r[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void residual(const float *a, const float *x, const float *b, float *r, int rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    double sum = b[i];
    for (int j = 0; j < n; j++)
        sum -= (double)a[i * n + j] * x[j];
    r[i] = (float)sum;
}
