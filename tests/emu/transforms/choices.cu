// Branches that choose values, and such that guard memory.
#pragma ks optimize
#pragma ks workload let(n=133) in(x[n]) in(w[n]) in(d[n]=randint(0,3)) out(y[n]) out(c[n]) grid(ceildiv(n,64)) block(64)
__global__ void choices(const float *x, const float *w, const int *d, float *y, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], r, s = 1.f;
    int k = 0;
    if (v > 0.5f) { r = expf(-v); k += 2; }
    else r = 0.f;
    if (v < 0.f) { s = v * v; k = 5; } else if (v < 0.25f) { s = sqrtf(v); } else { s -= v; k++; }
    for (int j = 0; j < 4; j++)
        if (v * j > 1.f) s *= 0.5f;
    if (d[i] != 0) k /= d[i];
    if (v > 1.f) r *= w[i];
    y[i] = r + s;
    c[i] = k;
}
