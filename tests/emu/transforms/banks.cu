// A square turned through two tiles, one of them padded; a tree with strides; rows that only later warps find in one
// bank, and a column that is read for nothing.
#pragma ks optimize
#pragma ks workload let(n=64) in(a[n*n]=uniform(0,1)) out(b[n*n]) grid(n/32, n/32) block(32,8)
__global__ void square(const float *a, float *b, int n)
{
    __shared__ float t[32][32];
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
        s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x] + 1;
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        b[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j]
            + s[threadIdx.x][threadIdx.y + j];
}
#pragma ks optimize
#pragma ks workload let(n=512) in(a[n]=uniform(0,1)) out(b[n/128]) grid(n/128) block(128)
__global__ void tree(const double *a, double *b)
{
    __shared__ double d[128];
    int t = threadIdx.x;
    d[t] = a[blockIdx.x * 128 + t];
    __syncthreads();
    for (unsigned s = 1; s < 128; s *= 2) {
        unsigned i = 2 * s * t;
        if (i < 128)
            d[i] += d[i + s];
        __syncthreads();
    }
    if (t == 0)
        b[blockIdx.x] = d[0];
}
#pragma ks optimize
#pragma ks workload let(n=128) in(a[n]=uniform(0,1)) out(b[n]) grid(n/64) block(64)
__global__ void later(const float *a, float *b)
{
    __shared__ float s[64 * 32];
    int t = threadIdx.x, at = t < 32 ? t : t * 32;
    s[at] = a[blockIdx.x * 64 + t];
    __syncthreads();
    b[blockIdx.x * 64 + t] = s[at];
}
#pragma ks optimize
#pragma ks workload let(n=128) in(a[n]=uniform(0,1)) out(b[n]) grid(n/64) block(64)
__global__ void unneeded(const float *a, float *b)
{
    __shared__ float s[64 * 32];
    int t = threadIdx.x;
    float column = s[t * 32];
    s[t] = a[blockIdx.x * 64 + t];
    __syncthreads();
    b[blockIdx.x * 64 + t] = s[t ^ 1] + (column > 0 ? 1 : 1);
}
