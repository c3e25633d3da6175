// Every body with every other: reads that all threads share, in one axis. All terms of a sum have one sign: where
// they cancel, any other rounding of one of them shows.
#pragma ks optimize
#pragma ks workload let(n=150) in(x[n]) in(y[n]) in(m[n]=uniform(0,1)) out(fx[n]) out(fy[n]) grid(ceildiv(n,64)) block(64)
__global__ void bodies(const float *x, const float *y, const float *m, float *fx, float *fy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float ax = 0, ay = 0;
        const float px = x[i], py = y[i];
        for (int j = 0; j < n; j++) {
            float dx = x[j] - px, dy = y[j] - py;
            float r = rsqrtf(dx * dx + dy * dy + 0.01f);
            float w = m[j] * powf(r, 3);
            ax += dx * dx * w;
            ay += w;
        }
        fx[i] = ax;
        fy[i] = ay;
    }
}
