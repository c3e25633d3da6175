// Sums of rows, by what is made of each element and of each sum; what they are and are not, templates_maps.sh says.
#include <cuda_fp16.h>

// A block a row, a tree in shared memory.
#pragma ks optimize
#pragma ks workload let(rows=40, n=203) in(p[rows*n]=uniform(0.1,1)) in(q[rows*n]=uniform(0.1,1)) out(y[rows]) grid(rows) block(64)
__global__ void divergence(const float *p, const float *q, float *y, int n)
{
    __shared__ float part[64];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float u = p[blockIdx.x * n + i], v = q[blockIdx.x * n + i];
        sum += u * (logf(u) - logf(v));
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0] / n;
}

// A thread a row: weights that all rows have, and what each row is held against.
#pragma ks optimize
#pragma ks workload let(rows=70, cols=58) in(x[rows*cols]) in(w[cols]) in(to[rows]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void weighed_distance(const float *x, const float *w, const float *to, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < cols; c++)
        sum += fabsf(x[r * cols + c] - to[r]) * w[c];
    y[r] = sum;
}

// A warp a row of halves, summed in float; the rows of two matrices by one another.
#pragma ks optimize
#pragma ks workload let(rows=33, n=96) in(a[rows*n]) in(b[rows*n]) set(scale=0.125) out(y[rows]) grid(ceildiv(rows,4)) block(32,4)
__global__ void dots_of_halves(const __half *a, const __half *b, float *y, int rows, int n, float scale)
{
    int r = blockIdx.x * 4 + threadIdx.y;
    float sum = 0;
    if (r >= rows)
        return;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += __half2float(a[r * n + i]) * __half2float(b[r * n + i]);
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0)
        y[r] = sum * scale;
}

// Added to what is there, in double.
#pragma ks optimize
#pragma ks workload let(rows=30, n=77) in(x[rows*n]) inout(energy[rows]) grid(1) block(rows)
__global__ void energies(const double *x, double *energy, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += 1 - cos(x[threadIdx.x * n + i]);
    energy[threadIdx.x] += sum;
}

// CUDA's functions in front of the sum, some at a time: each must be what it is for all to be found,
#pragma ks optimize
#pragma ks workload let(rows=24, n=130) in(x[rows*n]) out(y[rows]) grid(rows) block(32)
__global__ void made_of_elements(const float *x, float *y, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        float v = x[blockIdx.x * n + i];
        sum += __saturatef(v) + 0.5f * fdimf(v, 0.25f) + rintf(3 * v) - 0.1f * ceilf(5 * v) + truncf(7 * v) * roundf(2.3f * v);
        sum += exp10f(v) - 0.25f * sinhf(v) + __frcp_rn(v * v + 1) + __fmaf_rn(v, 0.3f, log2f(v * v + 1));
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

// and behind it.
#pragma ks optimize
#pragma ks workload let(rows=24, n=130) in(x[rows*n]) out(y[rows]) grid(rows) block(32)
__global__ void made_of_sums(const float *x, float *y, int n)
{
    float v = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        v += x[blockIdx.x * n + i];
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    if (threadIdx.x == 0)
        y[blockIdx.x] = v * normcdff(v) + 0.5f * std::fma(__sinf(v), 0.5f, cosf(v)) + erfcf(v) - hypotf(v, 2) + __fdiv_rn(v, 3) + __saturatef(v);
}

// Each element beside the one before, which no row's sum of a map reads;
#pragma ks optimize
#pragma ks workload let(rows=40, n=120) in(x[rows*n]) out(y[rows]) grid(rows) block(32)
__global__ void variation(const float *x, float *y, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n - 1; i += 32)
        sum += fabsf(x[blockIdx.x * n + i + 1] - x[blockIdx.x * n + i]);
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

// every other element;
#pragma ks optimize
#pragma ks workload let(rows=40, n=120) in(x[rows*n]) out(y[rows]) grid(rows) block(32)
__global__ void every_other(const float *x, float *y, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        if (i % 2 == 0)
            sum += expf(x[blockIdx.x * n + i]);
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

// and no sum: later elements weigh more.
#pragma ks optimize
#pragma ks workload let(rows=40, n=24) in(x[rows*n]) out(y[rows]) grid(1) block(rows)
__global__ void faded(const float *x, float *y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum = 0.5f * sum + fabsf(x[threadIdx.x * n + i]);
    y[threadIdx.x] = sum;
}
