// Forces of all points within a sphere of radius 2.5, as short-range forces are cut off.
#pragma ks optimize
#pragma ks workload let(n=4096) let(m=256) in(x[3*n]) in(c[3*m]) out(f[n]) grid(ceildiv(n,128)) block(128)
__global__ void within(const float *x, const float *c, float *f, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float force = 0;
    for (int j = 0; j < m; j++) {
        float dx = x[3 * i] - c[3 * j], dy = x[3 * i + 1] - c[3 * j + 1], dz = x[3 * i + 2] - c[3 * j + 2];
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < 6.25f && r2 > 0.1f)
            force += dx / (r2 * r2);
    }
    f[i] = force;
}
