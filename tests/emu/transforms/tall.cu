// Few items, long loops: sums and an extreme that the rest of the item goes on with; a second loop behind.
#pragma ks optimize
#pragma ks workload let(n=7,m=500) in(x[m*n]=uniform(-2,2)) in(w[m]) out(y[n]) out(top[n]) grid(1) block(32)
__global__ void tall(const float *x, const float *w, float *y, float *top, int n, int m)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        float scale = 0.5f, s = 1.0f, t = x[i];
        for (int k = 1; k < m; ++k) {
            s += x[k * n + i] * w[k] * scale;
            if (x[k * n + i] > t)
                t = x[k * n + i];
        }
        float q = 0;
        for (int k = 0; k < 3; k++)
            q += w[k];
        y[i] = s * q;
        top[i] = t;
    }
}
