// Rows of 213 terms: few enough to look harmless, and of ramps each rounds the way the last one did.
#pragma ks optimize
#pragma ks workload let(n=40,k=213) in(a[n*k]) in(x[k]) out(y[n]) grid(1) block(64)
__global__ void matrix_vector(const float *a, const float *x, float *y, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int j = 0; j < k; j++)
        sum += a[i * k + j] * x[j];
    y[i] = sum;
}
