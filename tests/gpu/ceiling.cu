// Kernels as an expert wrote them: packs of 16 bytes, whole lines, arrays longer than any cache. Where one runs at the
// speed of a copy there is nothing to find; ceiling.sh asks how long the search takes to say so.
#include <cuda_fp16.h>

#pragma ks optimize
#pragma ks workload let(n=16777216) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void copy_packs(const float4 *x, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}

#pragma ks optimize
#pragma ks workload let(n=16777216) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void relu_packs(const float4 *x, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i];
        y[i] = make_float4(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f), fmaxf(v.z, 0.0f), fmaxf(v.w, 0.0f));
    }
}

#pragma ks optimize
#pragma ks workload let(n=16777216) in(x[n]) in(y[n]) out(z[n]) grid(ceildiv(n,256)) block(256)
__global__ void add_packs(const float4 *x, const float4 *y, float4 *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i], w = y[i];
        z[i] = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
    }
}

#pragma ks optimize
#pragma ks workload let(n=16777216) set(a=1.25) in(x[n]) inout(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void axpy_packs(double a, const double2 *x, double2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double2 v = x[i], w = y[i];
        y[i] = make_double2(a * v.x + w.x, a * v.y + w.y);
    }
}

// Eight numbers of 16 bits in a pack.
#pragma ks optimize
#pragma ks workload let(n=16777216) in(x[8*n]=uniform(-1,1)) out(y[8*n]) grid(ceildiv(n,256)) block(256)
__global__ void scale_halves(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint4 pack = ((const uint4 *)x)[i];
        __half2 *pair = (__half2 *)&pack;
        for (int k = 0; k < 4; k++)
            pair[k] = __hmul2(pair[k], __float2half2_rn(0.5f));
        ((uint4 *)y)[i] = pack;
    }
}

// A bias a column, rows of 4096: the column by a mask.
#pragma ks optimize
#pragma ks workload let(n=16777216) in(x[n]) in(bias[1024]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void bias_packs(const float4 *x, const float4 *bias, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i], b = bias[i & 1023];
        y[i] = make_float4(v.x + b.x, v.y + b.y, v.z + b.z, v.w + b.w);
    }
}

// A sum a row of 8192, a block a row: every pack once, then lanes, then warps.
#pragma ks optimize
#pragma ks workload let(rows=8192) in(x[2048*rows]=uniform(-1,1)) out(y[rows]) grid(rows) block(256)
__global__ void row_sums(const float4 *x, float *y, int rows)
{
    __shared__ float part[8];
    const float4 *row = x + (size_t)blockIdx.x * 2048;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < 2048; i += 256) {
        float4 v = row[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    for (int lane = 16; lane > 0; lane /= 2)
        sum += __shfl_down_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && (int)blockIdx.x < rows) {
        float all = 0.0f;
        for (int warp = 0; warp < 8; warp++)
            all += part[warp];
        y[blockIdx.x] = all;
    }
}

// Tiles of 64 x 64 by packs of four along both sides' rows, through shared memory without bank conflicts.
#pragma ks optimize
#pragma ks workload let(n=8192) in(x[n*n]) out(y[n*n]) grid(n/64,n/64) block(16,16)
__global__ void transpose_packs(const float *x, float *y, int n)
{
    __shared__ float tile[64][65];
    int column = threadIdx.x * 4, across = blockIdx.x * 64, down = blockIdx.y * 64;
    for (int row = threadIdx.y; row < 64; row += 16) {
        float4 v = *(const float4 *)(x + (size_t)(down + row) * n + across + column);
        tile[row][column] = v.x;
        tile[row][column + 1] = v.y;
        tile[row][column + 2] = v.z;
        tile[row][column + 3] = v.w;
    }
    __syncthreads();
    for (int row = threadIdx.y; row < 64; row += 16)
        *(float4 *)(y + (size_t)(across + row) * n + down + column) =
            make_float4(tile[column][row], tile[column + 1][row], tile[column + 2][row], tile[column + 3][row]);
}
