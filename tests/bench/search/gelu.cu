// The activation of many networks.
#pragma ks optimize tol(rel=1e-4,abs=1e-5)
#pragma ks workload let(n=25165824) in(x[n]=normal(0,1)) out(y[n]) grid(ceildiv(n,512)) block(512)
__global__ void gelu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * powf(v, 3.0f))));
    }
}
