// Special functions, two results.
#pragma ks optimize tol(rel=1e-4,abs=1e-5)
#pragma ks workload let(n=16777216) in(r[n]=uniform(0,2)) in(t[n]=uniform(-3,3)) out(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void polar(const float *r, const float *t, float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = r[i] * cosf(t[i]);
        y[i] = r[i] * sinf(t[i]);
    }
}
