// Sums of maps, in many spellings; what they are and are not, templates_formulas.sh says.
#include <cuda_fp16.h>

__device__ static float of_block(float value)
{
    __shared__ float part[1024];
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    return part[0];
}

__device__ static float squared(float v)
{
    return v * v;
}

// A loss whose blocks each leave a sum.
#pragma ks optimize
#pragma ks workload let(n=4096) in(p[n]) in(t[n]) set(delta=0.5) out(part[7]) grid(7) block(64)
__global__ void huber_parts(const float *p, const float *t, float *part, int n, float delta)
{
    const float half = 0.5f;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float d = fabsf(p[i] - t[i]);
        if (d < delta)
            sum += half * squared(d);
        else
            sum += delta * (d - half * delta);
    }
    sum = of_block(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

// Weights that rows share, and a factor for each row; the number of blocks is a size.
#pragma ks optimize
#pragma ks workload let(rows=40, cols=56, blocks=5) in(x[rows*cols]) in(w[cols]) in(by[rows]) out(part[blocks]) grid(blocks) block(128)
__global__ void weighted_parts(const float *x, const float *w, const float *by, float *part,
                               int rows, int cols)
{
    float s = 0;
    for (int k = threadIdx.x + blockDim.x * blockIdx.x; k < rows * cols; k += blockDim.x * gridDim.x) {
        const int row = k / cols;
        s = fmaf(x[k] * w[k - row * cols], by[row], s);
    }
    s = of_block(s);
    if (threadIdx.x == 0)
        part[blockIdx.x] = s;
}

// All blocks add to one place.
#pragma ks optimize
#pragma ks workload let(n=3000) in(p[n]) in(t[n]) inout(loss[1]=constant(0)) grid(4) block(128)
__global__ void mean_square(const float *p, const float *t, float *loss, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += (p[i] - t[i]) * (p[i] - t[i]);
    sum = of_block(sum);
    if (threadIdx.x == 0)
        atomicAdd(loss, sum / n);
}

// One thread, halves, summed in double.
#pragma ks optimize
#pragma ks workload let(n=600) in(x[n]) set(factor=0.25) out(y[1]) grid(1) block(32)
__global__ void magnitudes_of_halves(const __half *x, float *y, int n, float factor)
{
    double all = 0;
    if (threadIdx.x > 0)
        return;
    for (int i = 0; i < n; i++)
        all += fabsf(__half2float(x[i]));
    y[0] = all * factor;
}

// Blocks take neighbouring elements here: another share of them is a block's.
#pragma ks optimize
#pragma ks workload let(n=4096) in(p[n]) in(t[n]) out(part[8]) grid(8) block(64)
__global__ void chunks(const float *p, const float *t, float *part, int n)
{
    const int chunk = (n + gridDim.x - 1) / gridDim.x;
    float sum = 0;
    for (int i = threadIdx.x; i < chunk; i += blockDim.x)
        if (blockIdx.x * chunk + i < n)
            sum += fabsf(p[blockIdx.x * chunk + i] - t[blockIdx.x * chunk + i]);
    sum = of_block(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

// What is added depends on the place.
#pragma ks optimize
#pragma ks workload let(n=4096) in(x[n]) out(part[8]) grid(8) block(64)
__global__ void by_place(const float *x, float *part, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * i;
    sum = of_block(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

// No sum: what is there counts in the next turn.
#pragma ks optimize
#pragma ks workload let(n=4096) in(x[n]) out(part[8]) grid(8) block(64)
__global__ void fading(const float *x, float *part, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum = 0.5f * sum + x[i];
    sum = of_block(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

// One element a thread, which a tree in shared memory sums: each block leaves its own,
#pragma ks optimize
#pragma ks workload let(n=1000) in(x[n]) in(z[n]) out(part[ceildiv(n,128)]) grid(ceildiv(n,128)) block(128)
__global__ void dots(const float *x, const float *z, float *part, int n)
{
    __shared__ float each[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    each[t] = i < n ? x[i] * z[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step; step >>= 1) {
        if (t < step)
            each[t] += each[t + step];
        __syncthreads();
    }
    if (t == 0)
        part[blockIdx.x] = each[0];
}

// or all add to one place.
#pragma ks optimize
#pragma ks workload let(n=1000) in(p[n]) in(q[n]) inout(loss[1]=constant(0)) grid(ceildiv(n,64)) block(64) shared(512)
__global__ void smooth(const double *p, const double *q, double *loss, int n)
{
    extern __shared__ double each[];
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = 0;
    if (i < n) {
        double d = fabs(p[i] - q[i]);
        v = d < 1 ? 0.5 * d * d : d - 0.5;
    }
    each[threadIdx.x] = v;
    for (unsigned step = blockDim.x >> 1; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            each[threadIdx.x] = each[threadIdx.x] + each[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        atomicAdd(loss, each[0] / n);
}

// No such sums: the largest; two elements a thread; one that another thread takes there; one that is there already.
#pragma ks optimize
#pragma ks workload let(n=1000) in(x[n]) in(z[n]) out(part[ceildiv(n,128)]) grid(ceildiv(n,128)) block(128)
__global__ void largest(const float *x, const float *z, float *part, int n)
{
    __shared__ float each[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    each[t] = i < n ? x[i] * z[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step; step >>= 1) {
        if (t < step)
            each[t] = fmaxf(each[t], each[t + step]);
        __syncthreads();
    }
    if (t == 0)
        part[blockIdx.x] = each[0];
}

#pragma ks optimize
#pragma ks workload let(n=1000) in(x[n]) out(part[ceildiv(n,256)]) grid(ceildiv(n,256)) block(128)
__global__ void two_each(const float *x, float *part, int n)
{
    __shared__ float each[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    float v = i < n ? x[i] : 0.0f;
    if (i + blockDim.x < n)
        v += x[i + blockDim.x];
    each[t] = v;
    __syncthreads();
    for (int step = blockDim.x / 2; step; step >>= 1) {
        if (t < step)
            each[t] += each[t + step];
        __syncthreads();
    }
    if (t == 0)
        part[blockIdx.x] = each[0];
}

#pragma ks optimize
#pragma ks workload let(n=1000) in(x[n]) in(z[n]) out(part[ceildiv(n,128)]) grid(ceildiv(n,128)) block(128)
__global__ void elsewhere(const float *x, const float *z, float *part, int n)
{
    __shared__ float each[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    each[t] = 0;
    each[t / 2] = i < n ? x[i] * z[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step; step >>= 1) {
        if (t < step)
            each[t] += each[t + step];
        __syncthreads();
    }
    if (t == 0)
        part[blockIdx.x] = each[0];
}

#pragma ks optimize
#pragma ks workload let(n=1000) in(x[n]) in(z[n]) out(part[ceildiv(n,128)]) grid(ceildiv(n,128)) block(128)
__global__ void one_more(const float *x, const float *z, float *part, int n)
{
    __shared__ float each[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    each[t] = i < n ? x[i] * z[i] + 1.0f : 1.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step; step >>= 1) {
        if (t < step)
            each[t] += each[t + step];
        __syncthreads();
    }
    if (t == 0)
        part[blockIdx.x] = each[0];
}

// An element each, and what a warp adds up.
#pragma ks optimize
#pragma ks workload let(n=6000) in(p[n]) in(q[n]) inout(sum[1]=constant(2)) grid(ceildiv(n,128)) block(128)
__global__ void by_shuffles(const float *p, const float *q, float *sum, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float v = 0;
    if (i < n) {
        float d = p[i] - q[i];
        v = d * d / n;
    }
    for (int o = 16; o; o >>= 1)
        v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, v);
}

#pragma ks optimize
#pragma ks workload let(n=6000) in(p[n]) in(q[n]) inout(sum[1]=constant(2)) grid(ceildiv(n,128)) block(128)
__global__ void at_once(const float *p, const float *q, float *sum, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float v = i < n ? fabsf(p[i] - q[i]) : 0.0f;
    atomicAdd(sum, v);
}

// The first warp alone adds its own.
#pragma ks optimize
#pragma ks workload let(n=6000) in(p[n]) in(q[n]) inout(sum[1]=constant(2)) grid(ceildiv(n,128)) block(128)
__global__ void first_warps(const float *p, const float *q, float *sum, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float v = i < n ? fabsf(p[i] - q[i]) : 0.0f;
    for (int o = 16; o; o >>= 1)
        v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0)
        atomicAdd(sum, v);
}
