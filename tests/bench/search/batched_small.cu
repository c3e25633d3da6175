// Thousands of small products.
#pragma ks optimize
#pragma ks workload let(batch=16384) in(a[batch*256]=uniform(-1,1)) in(b[batch*256]=uniform(-1,1)) out(c[batch*256]) grid(batch) block(256)
__global__ void batched_small(const float *a, const float *b, float *c)
{
    int row = threadIdx.x / 16, col = threadIdx.x % 16;
    const float *ma = a + blockIdx.x * 256, *mb = b + blockIdx.x * 256;
    float sum = 0.0f;
    for (int i = 0; i < 16; i++)
        sum += ma[row * 16 + i] * mb[i * 16 + col];
    c[blockIdx.x * 256 + threadIdx.x] = sum;
}
