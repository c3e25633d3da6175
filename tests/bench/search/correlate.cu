// Correlation with a long pattern: one thread a lag, neighbours read what is one further.
#pragma ks optimize tol(rel=1e-4,abs=1e-3)
#pragma ks workload let(n=131072) let(m=256) in(x[n+m]=uniform(-1,1)) in(pattern[m]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void correlate(const float *x, const float *pattern, float *y, int n, int m)
{
    int lag = blockIdx.x * blockDim.x + threadIdx.x;
    if (lag >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < m; i++)
        sum += x[lag + i] * pattern[i];
    y[lag] = sum;
}
