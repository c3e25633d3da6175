// Convolutions of what is made of elements on the way, for templates_formulas.sh.

// Of the input, and what follows; windows stand out of it.
#pragma ks optimize
#pragma ks workload let(b=1, ci=2, co=3, n=12) in(x[b*ci*n]) in(k[ci*co*3]) in(bias[co]) set(slope=0.25) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)
__global__ void of_activated(const float *x, const float *k, const float *bias, float *y, int ci, int co, int n, float slope)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y;
    if (at >= n)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int tap = 0; tap < 3; tap++) {
            const int from = at + tap - 1;
            if (from < 0 || from >= n)
                continue;
            float v = x[(blockIdx.z * ci + c) * n + from];
            v = v > 0 ? v + 1.0f : slope * v - 0.5f;
            sum += v * k[(o * ci + c) * 3 + tap];
        }
    y[(blockIdx.z * co + o) * n + at] = fmaxf(sum + bias[o], 0.0f);
}

// Of the weights, in two dimensions.
#pragma ks optimize
#pragma ks workload let(b=2, ci=2, co=2, h=5, w=8) in(x[b*ci*h*w]) in(k[co*ci*3*3]) out(y[b*co*h*w]) grid(ceildiv(w,32),h,b*co) block(32)
__global__ void by_magnitudes(const float *x, const float *k, float *y, int ci, int co, int h, int w)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y, o = blockIdx.z % co, image = blockIdx.z / co;
    if (u >= w)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if (v + i >= 1 && v + i <= h && u + j >= 1 && u + j <= w)
                    sum += fabsf(k[((o * ci + c) * 3 + i) * 3 + j]) * x[((image * ci + c) * h + v + i - 1) * w + u + j - 1];
    y[((image * co + o) * h + v) * w + u] = sum;
}

// No factor of the weights: what is added hangs on both.
#pragma ks optimize
#pragma ks workload let(b=1, ci=2, co=3, n=12) in(x[b*ci*n]) in(k[ci*co*3]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)
__global__ void of_differences(const float *x, const float *k, float *y, int ci, int co, int n)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y;
    if (at >= n)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int tap = 0; tap < 3; tap++)
            if (at + tap >= 1 && at + tap <= n)
                sum += fabsf(x[(blockIdx.z * ci + c) * n + at + tap - 1] - k[(o * ci + c) * 3 + tap]);
    y[(blockIdx.z * co + o) * n + at] = sum;
}
