// What loops compute anew in every turn: a function of an element beside stores, a place that is read from memory, a limit,
// a function of the program's, elements under a condition and in a loop in the loop.
__device__ static float damped(float x, int steps)
{
    float by = 1.0f;
    for (int i = 0; i < steps; i++)
        by *= 0.5f + x * 0.25f;
    return by;
}

#pragma ks optimize
#pragma ks workload let(n=41,m=19,depth=3) in(x[n*m]) in(scale[n]) in(row[n]=randint(0,40)) in(len[n]=randint(0,19)) inout(y[n*m]) out(z[n]) grid(ceildiv(n,32)) block(32)
__global__ void once(const float *x, const float *scale, const int *row, const int *len, float *y, float *z, int n, int m, int depth)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < m; k++)
        y[i * m + k] += x[row[i] * m + k] * expf(-scale[i]);
    for (int k = 0; k < len[i]; k++)
        y[i * m + k] *= 1.0f + 0.5f * damped(scale[i], depth);
    float sum = 0.0f;
    for (int d = 0; d < depth; d++)
        for (int k = 0; k < len[i]; k++) {
            y[i * m + k] += 0.125f;
            if (depth > 2)
                sum += y[i * m + k] * sinf(scale[n - 1 - i]);
        }
    z[i] = sum;
}
