// A product that is cut above: so is its sum of absolute terms, though nothing is subtracted.
#pragma ks optimize
#pragma ks workload let(n=500) let(k=12) in(x[n*k]) in(w[k]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void capped(const float *x, const float *w, float *y, int n, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += x[row * k + i] * w[i];
    y[row] = fminf(sum, 1.0f);
}
