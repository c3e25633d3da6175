// Kernels in the ways of programs from outside, for templates_written.sh: sums kept in memory, parameters that nothing reads,
// sizes that are macros, strides that are products.
#define ROWS 24
#define COLS 40
#define DEEP 56

// The sum grows in memory; `beta` and the sizes are read by nothing, for the text has these as numbers.
#pragma ks optimize
#pragma ks workload let(m=24, n=40, k=56) in(a[24*56]) in(b[56*40]) out(c[24*40]) set(alpha=1.5, beta=1.25) grid(2,3) block(32,8)
__global__ void product_of_macros(int m, int n, int k, float alpha, float beta, const float *a, const float *b, float *c)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ROWS && j < COLS) {
        c[i * COLS + j] = 0;
        for (int l = 0; l < DEEP; l++)
            c[i * COLS + j] += alpha * a[i * DEEP + l] * b[l * COLS + j];
    }
}

#pragma ks optimize
#pragma ks workload let(m=24, n=40, k=56) in(a[24*56]) in(b[56*40]) inout(c[24*40]) set(alpha=1.5, beta=1.25) grid(2,3) block(32,8)
__global__ void update_of_macros(int m, int n, int k, float alpha, float beta, const float *a, const float *b, float *c)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ROWS && j < COLS) {
        c[i * COLS + j] *= beta;
        for (int l = 0; l < DEEP; l++)
            c[i * COLS + j] += a[i * DEEP + l] * b[l * COLS + j];
    }
}

// What follows the sum is made of the element in memory, too.
#pragma ks optimize
#pragma ks workload let(rows=48, cols=40) in(x[rows*cols]) out(mean[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void means_in_memory(const float *x, float *mean, int rows, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < cols) {
        mean[j] = 0.0f;
        for (int i = 0; i < rows; i++)
            mean[j] += x[i * cols + j];
        mean[j] /= 3214.01f;
    }
}

#pragma ks optimize
#pragma ks workload let(n=48, m=40) in(a[n*m]) in(y[n]) in(z[m]) inout(x[m]) set(beta=1.25) grid(ceildiv(m,32)) block(32)
__global__ void product_and_vector(const float *a, const float *y, const float *z, float *x, float beta, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        for (int j = 0; j < n; j++)
            x[i] = x[i] + beta * a[j * m + i] * y[j];
        x[i] += z[i];
    }
}

// The element that a turn updates is another one each turn: no sum.
#pragma ks optimize
#pragma ks workload let(rows=48, cols=40) in(x[rows*cols]) inout(y[cols]) grid(1) block(1)
__global__ void row_after_row(const float *x, float *y, int rows, int cols)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            y[j] = y[j] * 0.5f + x[i * cols + j];
}

// Rows of three axes of blocks; the strides are what the mark reckons, and a launch with others goes elsewhere.
#pragma ks optimize
#pragma ks workload let(cols=70, rows=6, channels=3, samples=2) let(by_row=cols, by_channel=cols*rows, by_sample=cols*rows*channels) \
    in(x[cols*rows*channels*samples]) out(y[cols*rows*channels*samples]) set(eps=1e-5) grid(rows,channels,samples) block(32)
__global__ void rms_of_strided(const float *x, float *y, int cols, long long by_row, long long by_channel, long long by_sample, float eps)
{
    x += blockIdx.z * by_sample + blockIdx.y * by_channel + blockIdx.x * by_row;
    y += ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * cols;
    float squares = 0;
    for (int i = threadIdx.x; i < cols; i += 32)
        squares += x[i] * x[i];
    for (int d = 16; d > 0; d /= 2)
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    float scale = rsqrtf(squares / cols + eps);
    for (int i = threadIdx.x; i < cols; i += 32)
        y[i] = scale * x[i];
}

// Both factors are one array.
#pragma ks optimize
#pragma ks workload let(n=40, k=24) in(a[n*k]) inout(c[n*n]) set(alpha=1.5, beta=1.25) grid(ceildiv(n,16),ceildiv(n,8)) block(16,8)
__global__ void rank_k_update(const float *a, float *c, int n, int k, float alpha, float beta)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int l = 0; l < k; l++)
            c[i * n + j] += alpha * a[i * k + l] * a[j * k + l];
    }
}

// Pooling as frameworks have it: of images and channels the launch shows the number of all results alone.
#pragma ks optimize
#pragma ks workload let(ih=24, iw=20, planes=6) set(kh=3, kw=3, sh=2, sw=2, ph=1, pw=1) let(oh=(ih-1)/2+1, ow=(iw-1)/2+1) let(results=planes*oh*ow) \
    in(x[planes*ih*iw]) out(y[planes*oh*ow]) grid(ceildiv(results,256)) block(256)
__global__ void means_of_windows(const float *x, float *y, int results, int ih, int iw, int oh, int ow, int kh, int kw, int sh, int sw, int ph, int pw)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= results)
        return;
    int from_h = at / ow % oh * sh - ph, from_w = at % ow * sw - pw;
    float sum = 0;
    for (int h = max(0, from_h); h < min(ih, from_h + kh); h++)
        for (int w = max(0, from_w); w < min(iw, from_w + kw); w++)
            sum += x[(at / (oh * ow) * ih + h) * iw + w] * (1.0f / (kh * kw));
    y[at] = sum;
}

__device__ float squares_of(const float *row, int n)
{
    float squares = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        squares += row[i] * row[i];
    for (int d = 16; d > 0; d /= 2)
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    return squares;
}

// Rows of length one, unless they are next to nothing.
#pragma ks optimize
#pragma ks workload let(rows=12, cols=70) in(x[rows*cols]) out(y[rows*cols]) grid(rows) block(32)
__global__ void rows_of_length_one(const float *x, float *y, int cols)
{
    float length = fmaxf(sqrtf(squares_of(x + blockIdx.x * cols, cols)), 1e-12f);
    for (int i = threadIdx.x; i < cols; i += 32)
        y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i] / length;
}

#pragma ks optimize
#pragma ks workload let(rows=12, cols=70) in(x[rows*cols]) out(y[rows*cols]) set(eps=1e-6) grid(rows) block(32)
__global__ void rows_by_root(const float *x, float *y, int cols, float eps)
{
    float scale = rsqrtf(squares_of(x + blockIdx.x * cols, cols) + eps);
    for (int i = threadIdx.x; i < cols; i += 32)
        y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i] * scale;
}
