// A product that is clamped: of great numbers it is infinite, and which infinity shows as one limit or the other.
#pragma ks optimize
#pragma ks workload let(n=3000) let(k=48) in(x[n*k]) in(w[k]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void hard_tanh(const float *x, const float *w, float *y, int n, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += x[row * k + i] * w[i];
    y[row] = fminf(fmaxf(sum, -1.0f), 1.0f);
}
