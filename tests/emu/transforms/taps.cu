// A line behind each element, in steps of two, one ahead of it twice as fast, and a number that counts down.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=uniform(-1,1)) in(c[8]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void taps(const float *x, const float *c, float *y, int n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = i + 3 < n ? x[i + 3] : 0.0f;
    for (unsigned j = 0; j <= 7; j += 2) {
        if (i >= j)
            s += x[i - j] * c[j];
        if (i + 2 * j < n)
            s -= x[i + 2 * j];
    }
    for (int j = 2; j > 0; j--)
        s += i >= j ? x[i - j] : 1.0f;
    y[i] = s;
}
