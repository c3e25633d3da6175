// Rows of signed bytes times a vector: terms of either sign, whatever the sign of the floats.
#pragma ks optimize
#pragma ks workload let(n=8000,k=6000) in(w[n*k]=randint(-127,127)) in(x[k]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void bytes_times_vector(const signed char *w, const float *x, float *y, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int j = 0; j < k; j++)
        sum += (float)w[(size_t)i * k + j] * x[j];
    y[i] = sum;
}
