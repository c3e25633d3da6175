// What is made of a norm or of what a row or column comes to, in many spellings, for templates_ends.sh.
#include <cuda_fp16.h>

__device__ static float of_block(float v)
{
    __shared__ float parts[32];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (unsigned i = 0; i < blockDim.x / 32; i++)
        v += parts[i];
    __syncthreads();
    return v;
}

__device__ static float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

// A block a group; a gate by column, and what was there before by place.
#pragma ks optimize
#pragma ks workload let(m=3, n=80, groups=4) in(x[m*n]) in(gamma[n]) in(beta[n]) in(gate[n]) in(old[m*n]) out(y[m*n]) grid(groups,m) block(64)
__global__ void groups_gated(const float *x, const float *gamma, const float *beta, const float *gate, const float *old, float *y, int n, int groups)
{
    int size = n / groups, first = blockIdx.x * size;
    x += blockIdx.y * n, y += blockIdx.y * n, old += blockIdx.y * n;
    float sum = 0, squares = 0;
    for (int i = first + threadIdx.x; i < first + size; i += blockDim.x) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    float mean = of_block(sum) / size;
    float scale = rsqrtf(of_block(squares) / size - mean * mean + 1e-5f);
    for (int i = first + threadIdx.x; i < first + size; i += blockDim.x) {
        float u = (x[i] - mean) * scale * gamma[i] + beta[i];
        u = u * sigmoid(u) * gate[i];
        y[i] = u + old[i];
    }
}

// A thread a group, of halves; the norm stands within what is stored, and its epsilon is a parameter. Groups of
// seven begin at any place of a pack.
#pragma ks optimize
#pragma ks workload let(rows=5, groups=3, cols=21) set(eps=1e-5) set(slope=0.1) in(x[rows*cols]) in(gain[cols]) in(bias[cols]) out(y[rows*cols]) grid(ceildiv(rows*groups,32)) block(32)
__global__ void groups_of_halves(const __half *x, const float *gain, const float *bias, __half *y, int rows, int groups, int cols, float eps, float slope)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= rows * groups)
        return;
    int size = cols / groups, from = t / groups * cols + t % groups * size;
    float mean = 0, square = 0;
    for (int i = 0; i < size; i++)
        mean += __half2float(x[from + i]);
    mean /= size;
    for (int i = 0; i < size; i++)
        square += (__half2float(x[from + i]) - mean) * (__half2float(x[from + i]) - mean);
    float by = 1.0f / sqrtf(square / size + eps);
    for (int i = 0; i < size; i++) {
        int col = t % groups * size + i;
        float v = (__half2float(x[from + i]) - mean) * by;
        v *= gain[col];
        v += bias[col];
        if (v < 0)
            v *= slope;
        y[from + i] = __float2half(v);
    }
}

// Groups longer than what threads hold.
#pragma ks optimize
#pragma ks workload let(m=2, n=2400, groups=2) in(x[m*n]) in(gamma[n]) in(beta[n]) out(y[m*n]) grid(groups,m) block(64)
__global__ void long_groups(const float *x, const float *gamma, const float *beta, float *y, int n, int groups)
{
    int size = n / groups, first = blockIdx.x * size;
    x += blockIdx.y * n, y += blockIdx.y * n;
    float sum = 0, squares = 0;
    for (int i = first + threadIdx.x; i < first + size; i += blockDim.x)
        sum += x[i];
    float mean = of_block(sum) / size;
    for (int i = first + threadIdx.x; i < first + size; i += blockDim.x)
        squares += (x[i] - mean) * (x[i] - mean);
    float scale = rsqrtf(of_block(squares) / size + 1e-3f);
    for (int i = first + threadIdx.x; i < first + size; i += blockDim.x)
        y[i] = fmaxf(0.0f, fminf(6.0f, (x[i] - mean) * scale * gamma[i] + beta[i]));
}

// Values from in front of the loop go on with it: an array by row, and what is made of a parameter.
#pragma ks optimize
#pragma ks workload let(m=5, n=24, groups=3) set(least=-0.5) in(x[m*n]) in(gamma[n]) in(beta[n]) in(by[m]) out(y[m*n]) grid(m*groups) block(1)
__global__ void groups_and_more(const float *x, const float *gamma, const float *beta, const float *by, float *y, int n, int groups, float least)
{
    int size = n / groups, row = blockIdx.x / groups, first = blockIdx.x % groups * size;
    float mean = 0, square = 0, half = 0.5f * least, times = by[row];
    for (int i = 0; i < size; i++)
        mean += x[row * n + first + i] / size;
    for (int i = 0; i < size; i++)
        square += (x[row * n + first + i] - mean) * (x[row * n + first + i] - mean);
    for (int i = 0; i < size; i++) {
        float t = (x[row * n + first + i] - mean) / sqrtf(square / size + 1e-5f) * gamma[first + i] + beta[first + i];
        float u = t > half ? t : half;
        y[row * n + first + i] = u * times;
    }
}

// The least of channels, as in front of a nonlinearity, and a mean that is scaled by column.
#pragma ks optimize
#pragma ks workload let(b=2, c=5, n=37) in(x[b*c*n]) out(y[b*n]) grid(ceildiv(n,32),b) block(32)
__global__ void least_of_channels(const float *x, float *y, int c, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    x += blockIdx.y * c * n + p;
    float least = x[0];
    for (int i = 1; i < c; i++)
        least = fminf(least, x[i * n]);
    y[blockIdx.y * n + p] = tanhf(least) * 2.0f;
}
#pragma ks optimize
#pragma ks workload let(rows=9, cols=37) in(x[rows*cols]) in(by[cols]) out(y[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void means_of_columns(const double *x, const double *by, double *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    double sum = 0;
    for (int r = 0; r < rows; r++)
        sum += x[r * cols + c];
    double mean = sum / rows;
    if (mean < 0)
        mean = -mean;
    y[c] = mean * by[c];
}
// The largest of a row through shared memory, and what follows.
#pragma ks optimize
#pragma ks workload let(rows=5, n=203) in(x[rows*n]) out(y[rows]) grid(rows) block(64)
__global__ void largest_of_rows(const float *x, float *y, int n)
{
    __shared__ float parts[64];
    x += blockIdx.x * n;
    float most = -INFINITY;
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
        y[blockIdx.x] = fmaxf(parts[0], 0.25f);
}

// Log-sum-exp of a row, a block each, a thread each, and of halves.
#pragma ks optimize
#pragma ks workload let(rows=5, n=203) in(x[rows*n]=uniform(-4,4)) in(by[rows]) out(y[rows]) grid(rows) block(64)
__global__ void log_of_sum(const float *x, const float *by, float *y, int n)
{
    x += blockIdx.x * n;
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[i]);
    for (int i = threadIdx.x; i < n; i += 64)
        sum += expf(x[i] - top);
    sum = of_block(sum);
    if (threadIdx.x == 0) {
        float all = top + logf(sum);
        all = all > 0.0f ? all : 0.01f * all;
        y[blockIdx.x] = all * by[blockIdx.x];
    }
}
#pragma ks optimize
#pragma ks workload let(rows=5, n=203) in(x[rows*n]=uniform(-4,4)) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void log_of_sum_of_halves(const __half *x, __half *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = __half2float(x[r * n]), all = 0;
    for (int i = 1; i < n; i++)
        top = fmaxf(top, __half2float(x[r * n + i]));
    for (int i = 0; i < n; i++)
        all += expf(__half2float(x[r * n + i]) - top);
    y[r] = __float2half(logf(all) + top);
}

// A triplet's loss: a margin and a limit behind the difference of two distances.
#pragma ks optimize
#pragma ks workload let(rows=5, n=64) in(a[rows*n]) in(p[rows*n]) in(q[rows*n]) out(y[rows]) grid(rows) block(64)
__global__ void triplets(const float *q, const float *p, const float *a, float *y, int n)
{
    float near = 0, far = 0;
    for (int i = threadIdx.x; i < n; i += 64) {
        int at = blockIdx.x * n + i;
        near += (a[at] - p[at] + 1e-6f) * (a[at] - p[at] + 1e-6f);
        far += (a[at] - q[at] + 1e-6f) * (a[at] - q[at] + 1e-6f);
    }
    near = of_block(near);
    far = of_block(far);
    if (threadIdx.x == 0)
        y[blockIdx.x] = fmaxf(sqrtf(near) - sqrtf(far) + 1.0f, 0.0f);
}

// A limit that no value of a small run comes to.
#pragma ks optimize
#pragma ks workload let(m=20, n=24, k=18) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void limited_product(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float s = 0;
    for (int l = 0; l < k; l++)
        s += a[i * k + l] * b[l * n + j];
    c[i * n + j] = fminf(s, 5000.0f);
}
#pragma ks optimize
#pragma ks workload let(rows=9, cols=37) in(x[rows*cols]) out(y[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void limited_sums(const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += x[r * cols + c];
    y[c] = fmaxf(sum, -5000.0f);
}

// What follows a norm or a softmax: GELU behind a layer norm,
#pragma ks optimize
#pragma ks workload let(rows=20, n=300) in(x[rows*n]) in(g[n]) in(b[n]) out(y[rows*n]) grid(rows) block(64)
__global__ void normed_gelu(const float *x, const float *g, const float *b, float *y, int n)
{
    const float *row = x + (size_t)blockIdx.x * n;
    float *out = y + (size_t)blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += row[i];
        squares += row[i] * row[i];
    }
    float mean = of_block(sum) / n, by = rsqrtf(of_block(squares) / n - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = (row[i] - mean) * by * g[i] + b[i];
        out[i] = 0.5f * v * (1 + erff(v * 0.70710678f));
    }
}

// a gate of halves behind an RMS norm,
#pragma ks optimize
#pragma ks workload let(rows=20, n=304) in(x[rows*n]) in(w[n]) in(gate[rows*n]) out(y[rows*n]) grid(rows) block(32)
__global__ void normed_gated(const __half *x, const __half *w, const __half *gate, __half *y, int n)
{
    float squares = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        float v = __half2float(x[blockIdx.x * n + i]);
        squares += v * v;
    }
    for (int o = 16; o > 0; o >>= 1)
        squares += __shfl_xor_sync(0xffffffffu, squares, o);
    float by = rsqrtf(squares / n + 1e-6f);
    for (int i = threadIdx.x; i < n; i += 32) {
        float z = __half2float(gate[blockIdx.x * n + i]);
        y[blockIdx.x * n + i] = __float2half(__half2float(x[blockIdx.x * n + i]) * by * __half2float(w[i]) * (z * sigmoid(z)));
    }
}

// values behind a softmax, a thread a row,
#pragma ks optimize
#pragma ks workload let(rows=20, n=120) in(x[rows*n]) in(v[rows*n]) set(by=0.5) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void weighed_softmax(const float *x, const float *v, float *y, int rows, int n, float by)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; i < n; i++)
        sum += expf(x[r * n + i] - top);
    for (int i = 0; i < n; i++)
        y[r * n + i] = expf(x[r * n + i] - top) / sum * v[r * n + i] * by;
}

// what was there before behind an instance norm,
#pragma ks optimize
#pragma ks workload let(planes=12, n=250) in(x[planes*n]) in(old[planes*n]) out(y[planes*n]) grid(planes) block(64)
__global__ void normed_residual(const float *x, const float *old, float *y, int n)
{
    const float *plane = x + (size_t)blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += plane[i];
        squares += plane[i] * plane[i];
    }
    float mean = of_block(sum) / n, by = rsqrtf(of_block(squares) / n - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[(size_t)blockIdx.x * n + i] = fmaxf((plane[i] - mean) * by + old[(size_t)blockIdx.x * n + i], 0.0f);
}

// and behind a group norm a factor and a summand of each image's channels, and SiLU.
#pragma ks optimize
#pragma ks workload let(b=2, c=6, groups=3, pixels=35) in(x[b*c*pixels]) in(gamma[c]) in(beta[c]) in(scale[b*c]) in(shift[b*c]) out(y[b*c*pixels]) \
    grid(groups, b) block(32)
__global__ void groups_and_silu(const float *x, const float *gamma, const float *beta, const float *scale, const float *shift, float *y,
                                int c, int groups, int pixels)
{
    int width = c / groups, size = width * pixels, first = blockIdx.y * c + blockIdx.x * width;
    const float *in = x + (size_t)first * pixels;
    float *out = y + (size_t)first * pixels;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        sum += in[i];
        squares += in[i] * in[i];
    }
    float mean = of_block(sum) / size, by = rsqrtf(of_block(squares) / size - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int k = blockIdx.x * width + i / pixels;
        float v = (in[i] - mean) * by * gamma[k] + beta[k];
        v = v * (1 + scale[first + i / pixels]) + shift[first + i / pixels];
        out[i] = v * sigmoid(v);
    }
}
