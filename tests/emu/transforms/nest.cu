// A nest in the wrong order, and one that is summed in memory.
#pragma ks optimize
#pragma ks workload let(n=33,m=9,k=7) in(a[n*m*k]) in(b[m]) out(s[n]) out(t[n*m]) grid(ceildiv(n,32)) block(32)
__global__ void nest(const float *a, const float *b, float *s, float *t, int n, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.f;
    for (int q = 0; q < k; q++)
        for (int p = 0; p < m; ++p)
            sum += a[(i * m + p) * k + q] * b[p];
    s[i] = sum;
    for (int p = 0; p < m; p++) {
        t[i * m + p] = 1.0f;
        for (int q = 0; q < k; q++) t[i * m + p] += a[(i * m + p) * k + q];
    }
}
