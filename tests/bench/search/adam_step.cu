// A step of an optimiser: three arrays change in place.
#pragma ks optimize tol(rel=1e-4,abs=1e-6)
#pragma ks workload let(n=8388608) set(rate=1e-3) in(g[n]=normal(0,1)) inout(w[n]=normal(0,1)) inout(m[n]=normal(0,0.1)) inout(v[n]=uniform(0.01,0.1)) \
    grid(ceildiv(n,256)) block(256)
__global__ void adam_step(float *w, float *m, float *v, const float *g, float rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        m[i] = 0.9f * m[i] + 0.1f * g[i];
        v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
        w[i] -= rate * m[i] / (sqrtf(v[i]) + 1e-8f);
    }
}
