#pragma ks optimize
#pragma ks workload let(n=1111) in(a[n]) out(b[n]) grid(3) block(64)
__global__ void strides(const float *a, float *b, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int step = blockDim.x * gridDim.x;
    for (int i = tid; i < n; i += step) {
        float v = a[i];
        b[i] = v > 0 ? sqrtf(v) : -v;
    }
}
