// Largest and least ones that begin at a number or at an element, for templates_extremes.sh: what rows without a number come
// to tells them apart.
#include <cuda_fp16.h>

__device__ static float of_warp(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, d));
    return v;
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void from_infinity(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows)
        return;
    float most = -INFINITY;
    for (int i = 0; i < n; i++)
        most = fmaxf(most, x[r * n + i]);
    y[r] = most;
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,4)) block(32,4)
__global__ void from_last_by_warps(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    float most = -3.402823466e+38f;
    for (int i = threadIdx.x; i < n; i += 32)
        most = x[r * n + i] > most ? x[r * n + i] : most;
    most = of_warp(most);
    if (threadIdx.x == 0)
        y[r] = most;
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void from_hundred(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows)
        return;
    float least = 100.0f;
    for (int i = 0; i < n; i++)
        if (x[r * n + i] < least)
            least = x[r * n + i];
    y[r] = least;
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void from_zero(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows)
        return;
    float most = 0;
    for (int i = 0; i < n; i++)
        most = fmaxf(most, x[r * n + i]);
    y[r] = most;
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void from_first(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows)
        return;
    float most = x[r * n];
    for (int i = 1; i < n; i++)
        if (x[r * n + i] > most)
            most = x[r * n + i];
    y[r] = most;
}

// What is no number stays, unless one follows: in any other order another one does.
#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void what_comes_last(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows)
        return;
    float most = -INFINITY;
    for (int i = 0; i < n; i++)
        most = most > x[r * n + i] ? most : x[r * n + i];
    y[r] = most;
}

#pragma ks optimize
#pragma ks workload let(z=2, rows=9, cols=37) in(x[z*rows*cols]) out(y[z*cols]) grid(ceildiv(cols,32),z) block(32)
__global__ void columns_from_infinity(const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= cols)
        return;
    x += blockIdx.y * rows * cols + c;
    float least = INFINITY;
    for (int r = 0; r < rows; r++)
        least = fminf(least, x[r * cols]);
    y[blockIdx.y * cols + c] = tanhf(least) * 2.0f;
}

#pragma ks optimize
#pragma ks workload let(z=2, rows=9, cols=37) in(x[z*rows*cols]) out(y[z*cols]) grid(ceildiv(cols,32),z) block(32)
__global__ void columns_of_doubles(const double *x, double *y, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= cols)
        return;
    x += blockIdx.y * rows * cols + c;
    double least = 1e300;
    for (int r = 0; r < rows; r++)
        if (x[r * cols] < least)
            least = x[r * cols];
    y[blockIdx.y * cols + c] = least;
}

#pragma ks optimize
#pragma ks workload let(z=2, rows=9, cols=37) in(x[z*rows*cols]) out(y[z*cols]) grid(ceildiv(cols,32),z) block(32)
__global__ void place_from_a_number(const float *x, int *y, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= cols)
        return;
    x += blockIdx.y * rows * cols + c;
    float most = -1e30f;
    int at = 0;
    for (int r = 0; r < rows; r++)
        if (x[r * cols] > most)
            most = x[r * cols], at = r;
    y[blockIdx.y * cols + c] = at;
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void place_of_halves(const __half *x, long long *y, int rows, int n)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows)
        return;
    float least = INFINITY;
    int at = 0;
    for (int i = 0; i < n; i++)
        if (__half2float(x[r * n + i]) < least)
            least = __half2float(x[r * n + i]), at = i;
    y[r] = at;
}

#pragma ks optimize
#pragma ks workload let(n=337) in(x[n]) out(y[1]) grid(1) block(64)
__global__ void all_from_last(const float *x, float *y, int n)
{
    __shared__ float parts[64];
    float most = -3.402823466e+38f;
    for (int i = threadIdx.x; i < n; i += 64)
        most = fmaxf(most, x[i]);
    parts[threadIdx.x] = most;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[0] = parts[0];
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=23) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void of_integers(const int *x, int *y, int rows, int n)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows)
        return;
    int most = x[r * n];
    for (int i = 1; i < n; i++)
        most = max(most, x[r * n + i]);
    y[r] = most;
}

// A row without a number above the last one below zero has no place.
#pragma ks optimize
#pragma ks workload let(rows=7, n=45) in(x[rows*n]) out(place[rows]) grid(rows) block(32)
__global__ void place_or_none(const float *x, int *place, long long n)
{
    float top = -3.402823466e+38f;
    int at = -1;
    const float *row = x + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += 32)
        if (row[i] > top)
            top = row[i], at = i;
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, top, d);
        int its = __shfl_xor_sync(0xffffffffu, at, d);
        if (other > top || (other == top && its < at))
            top = other, at = its;
    }
    if (threadIdx.x == 0)
        place[blockIdx.x] = at;
}

#pragma ks optimize
#pragma ks workload let(rows=9, n=45) in(x[rows*n]) out(place[n]) grid(ceildiv(n,32)) block(32)
__global__ void column_or_none(const float *x, int *place, int rows, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, at = -1;
    if (c >= n)
        return;
    float least = INFINITY;
    for (int r = 0; r < rows; r++)
        if (x[r * n + c] < least)
            least = x[r * n + c], at = r;
    place[c] = at;
}
