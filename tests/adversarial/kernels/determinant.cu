// Determinants in double, for they cancel.
#pragma ks optimize
#pragma ks workload let(n=100000) in(m[4*n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void determinant(const float *m, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (float)((double)m[4 * i] * m[4 * i + 3] - (double)m[4 * i + 1] * m[4 * i + 2]);
}
