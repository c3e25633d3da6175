// Small whole powers, as they are written down.
#pragma ks optimize tol(rel=1e-5,abs=1e-6)
#pragma ks workload let(n=8388608) in(x[n]=uniform(0.1,1)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void powers(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = pow(x[i], 2.0) + powf(x[i], 3.0f) * expf(-x[i]) / sqrtf(1.0f + x[i]);
}
