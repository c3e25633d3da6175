// A sum over a loop, and one atomic behind it.
#pragma ks optimize tol(rel=1e-4)
#pragma ks workload let(n=3000) in(a[n]=uniform(0,1)) in(b[n]=uniform(0,1)) inout(result[2]=constant(0)) grid(4) block(64)
__global__ void inner(const float *a, const float *b, float *result, int n)
{
    float sum = 0.0f;
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
    while (i < n) {
        if (a[i] > 0.25f)
            sum += a[i] * b[i];
        i += stride;
    }
    atomicAdd(result + 1, sum);
}
