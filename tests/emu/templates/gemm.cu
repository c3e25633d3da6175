// Plain products of matrices, for templates.sh.
#include <cuda_bf16.h>

#pragma ks optimize
#pragma ks workload let(m=33) let(n=36) let(k=20) let(z=2) in(a[z*m*k]) in(b[z*n*k]) out(c[z*m*n]) grid(ceildiv(n,16),ceildiv(m,16),z) block(16,16)
__global__ void batch_tn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[(z * k + l) * m + i] * b[(z * k + l) * n + j];
    c[(z * m + i) * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]) in(b[n*k]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void halves_nt(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += __bfloat162float(a[i * k + l]) * __bfloat162float(b[j * k + l]);
    c[i * n + j] = __float2bfloat16(sum);
}
