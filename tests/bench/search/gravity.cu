// Every body pulls every other.
#pragma ks optimize tol(rel=1e-3,abs=1e-3)
#pragma ks workload let(n=8192) in(x[n]=uniform(-1,1)) in(y[n]=uniform(-1,1)) in(m[n]=uniform(0.1,1)) out(ax[n]) out(ay[n]) grid(ceildiv(n,256)) block(256)
__global__ void gravity(const float *x, const float *y, const float *m, float *ax, float *ay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sx = 0.0f, sy = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = x[j] - x[i], dy = y[j] - y[i];
        float r = rsqrtf(dx * dx + dy * dy + 1e-3f);
        float f = m[j] * r * r * r;
        sx += f * dx;
        sy += f * dy;
    }
    ax[i] = sx;
    ay[i] = sy;
}
