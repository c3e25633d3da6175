// A map of one array.
#pragma ks optimize
#pragma ks workload let(n=33554432) set(a=1.5, b=-0.25) in(x[n]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale_relu(const float *x, float *y, float a, float b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = a * x[i] + b;
        y[i] = v > 0.0f ? v : 0.0f;
    }
}
