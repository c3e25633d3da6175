// Idioms in other spellings than the ports', and what is almost one.
#define WIDE(x) ((size_t)(x))
struct shape {
    int rows, cols;
};
struct scaled {
    int rows, cols;
    float by;
};
#pragma ks optimize
#pragma ks workload let(n=300, m=200, k=100) in(left[m*k]) in(right[n*k]) out(c[m*n]) grid(m) block(128)
__global__ void row_blocks_nt(float *c, const float *right, const float *left, int k, int m, int n)
{
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        double s = 0;
        for (int l = k - 1; l >= 0; --l)
            s += left[WIDE(blockIdx.x) * k + l] * right[WIDE(j) * k + l];
        c[WIDE(blockIdx.x) * n + j] = (float)s;
    }
}
#pragma ks optimize
#pragma ks workload let(n=300, m=200, k=100) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(m*n,64)) block(64)
__global__ void flat_tn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int at = blockIdx.x * 64 + threadIdx.x;
    if (at < m * n) {
        const float *p = a + at / n, *q = b + at % n;
        float s = 0;
        for (const float *end = p + WIDE(k) * m; p < end; p += m, q += n)
            s = fmaf(*p, *q, s);
        c[at] = s;
    }
}
#pragma ks optimize
#pragma ks workload let(n=300, m=200, k=100) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void almost_product(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    float s = i == j ? 1 : 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        s += a[i * k + l] * b[l * n + j];
    c[i * n + j] = s;
}
#pragma ks optimize
#pragma ks workload let(b=6, m=50, n=60, k=70) in(x[b*k*n]) in(w[m*k]) out(y[b*m*n]) grid(ceildiv(n,64),m,b) block(64)
__global__ void mix_channels(float *y, const float *x, const float *w, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int l = 0; j < n && l < k; l++)
        s += w[blockIdx.y * k + l] * x[(blockIdx.z * k + l) * n + j];
    if (j < n)
        y[(blockIdx.z * gridDim.y + blockIdx.y) * n + j] = s;
}
#pragma ks optimize
#pragma ks workload let(b=3, ci=5, co=6, h=30, w=40) in(image[b*ci*h*w]) in(taps[co*ci*9]) out(out[b*co*((h+1)/2)*((w+1)/2)]) \
    grid(ceildiv(b*co*((h+1)/2)*((w+1)/2),128)) block(128)
template <int STRIDE> __global__ void halving(const float *image, const float *taps, float *out, int b, int ci, int co, int h, int w)
{
    int oh = (h + 1) / STRIDE, ow = (w + 1) / STRIDE, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b * co * oh * ow)
        return;
    int n = i / (co * oh * ow), o = i / (oh * ow) % co, y = i / ow % oh * STRIDE, x = i % ow * STRIDE;
    float s = 0;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            for (int c = 0; c < ci && y + v >= 0 && y + v < h && x + u >= 0 && x + u < w; c++)
                s += image[((n * ci + c) * h + y + v) * w + x + u] * taps[(o * ci + c) * 9 + v * 3 + u + 4];
    out[i] = s;
}
template __global__ void halving<2>(const float *, const float *, float *, int, int, int, int, int);
#pragma ks optimize
#pragma ks workload let(b=3, ci=5, co=6, w=60) in(x[b*ci*w]) in(k[ci*co*4]) out(y[b*co*(w*2+2)]) grid(ceildiv(w*2+2,64),co,b) block(64)
__global__ void doubling(const float *x, const float *k, float *y, int ci, int w)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, n = blockIdx.z, width = w * 2 + 2;
    if (p >= width)
        return;
    float s = 0;
    for (int c = 0; c < ci; c++)
        for (int i = 0; i < w; i++)
            if (p - 2 * i >= 0 && p - 2 * i < 4)
                s += x[(n * ci + c) * w + i] * k[(c * gridDim.y + o) * 4 + p - 2 * i];
    y[(n * gridDim.y + o) * width + p] = s;
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(in[rows*n]) out(out[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void softmax_by_thread(float *out, const float *in, int n, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = in[r * n], all = 0;
    for (int i = 1; i < n; i++)
        top = in[r * n + i] > top ? in[r * n + i] : top;
    for (int i = 0; i < n; i++)
        all += out[r * n + i] = expf(in[r * n + i] - top);
    for (int i = 0; i < n; i++)
        out[r * n + i] /= all;
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(rows) block(64) shared(4*n)
__global__ void softmax_in_shared(const float *x, float *y, int n)
{
    extern __shared__ float line[];
    float top = -INFINITY, all = 0;
    for (int i = threadIdx.x; i < n; i += 64)
        line[i] = x[blockIdx.x * n + i];
    __syncthreads();
    for (int i = 0; i < n; i++)
        top = fmaxf(top, line[i]);
    for (int i = 0; i < n; i++)
        all += expf(line[i] - top);
    for (int i = threadIdx.x; i < n; i += 64)
        y[blockIdx.x * n + i] = expf(line[i] - top) / all;
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) in(g[n]) in(b[n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void layer_norm_by_thread(const float *x, const float *g, const float *b, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    x += WIDE(r) * n;
    double mean = 0, square = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / n;
    for (int i = 0; i < n; i++)
        y[WIDE(r) * n + i] = (float)((x[i] - mean) / sqrt(square + 1e-6)) * g[i] + b[i];
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) in(g[n]) in(b[n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void almost_layer_norm(const float *x, const float *g, const float *b, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    x += WIDE(r) * n;
    float mean = 0, square = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / (n - 1);
    for (int i = 0; i < n; i++)
        y[WIDE(r) * n + i] = (x[i] - mean) / sqrtf(square + 1e-6f) * g[i] + b[i];
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void suffix_sums(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = n - 1; r < rows && i >= 0; i--)
        y[r * n + i] = s += x[r * n + i];
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void almost_scan(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = 0; r < rows && i < n; i++)
        y[r * n + i] = s = 0.5f * s + x[r * n + i];
}
#pragma ks optimize
#pragma ks workload let(z=7, rows=90, cols=80) in(x[z*rows*cols]) out(at[z*cols]) grid(ceildiv(z*cols,64)) block(64)
__global__ void lowest(int *at, const float *x, int z, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (i >= z * cols)
        return;
    const float *p = x + WIDE(i / cols) * rows * cols + i % cols;
    for (int r = 1; r < rows; r++)
        best = p[WIDE(r) * cols] < p[WIDE(best) * cols] ? r : best;
    at[i] = best;
}
#pragma ks optimize
#pragma ks workload let(n=200) in(a[n*n]) in(b[n*n]) out(c[n*n]) grid(ceildiv(n,16),ceildiv(n,16)) block(16,16)
__global__ void lower_of_all(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float s = 0;
    for (int l = 0; l < n; l++)
        if (l <= i && l >= j)
            s += a[i * n + l] * b[l * n + j];
    c[i * n + j] = s;
}
#pragma ks optimize assume(n % 4 == 0)
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(sum[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void sums_in_fours(const float *x, float *sum, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = 0; i < n / 4; i++)
        for (int l = 0; r < rows && l < 4; l++)
            s += x[r * n + 4 * i + l];
    if (r < rows)
        sum[r] = s;
}
#pragma ks optimize
#pragma ks workload let(rows=4096, n=128) in(x[rows*n]) out(sum[rows]) grid(rows/1024) block(1024)
__global__ void whole_blocks(const float *x, float *sum, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[r * n + i];
    sum[r] = s;
}
// Sizes in a struct, which stands in front of all kernels.
#pragma ks optimize
#pragma ks workload let(rows=64, n=96) set(of.rows=rows) set(of.cols=n) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void shares_by_shape(const float *x, float *y, shape of)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float top = -INFINITY, all = 0;
    for (int i = 0; r < of.rows && i < of.cols; i++)
        top = fmaxf(top, x[r * of.cols + i]);
    for (int i = 0; r < of.rows && i < of.cols; i++)
        all += expf(x[r * of.cols + i] - top);
    for (int i = 0; r < of.rows && i < of.cols; i++)
        y[r * of.cols + i] = expf(x[r * of.cols + i] - top) / all;
}
// A number in a struct that is no integer has no role.
#pragma ks optimize
#pragma ks workload let(rows=64, n=96) set(of.rows=rows) set(of.cols=n) set(of.by=1) in(x[rows*n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void sums_by_scaled(const float *x, float *y, scaled of)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; r < of.rows && i < of.cols; i++)
        sum += x[r * of.cols + i];
    if (r < of.rows)
        y[r] = of.by * sum;
}
// A tile's width that is a template's argument is a number: a guard has nothing to ask of it.
#pragma ks optimize inst(8)
#pragma ks workload let(m=64, n=128, k=64) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(n/8,m/8) block(8,8)
template <int S>
__global__ void product_in_tiles(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float of_a[S][S], of_b[S][S];
    int row = blockIdx.y * S + threadIdx.y, col = blockIdx.x * S + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < k / S; tile++) {
        of_a[threadIdx.y][threadIdx.x] = a[row * k + tile * S + threadIdx.x];
        of_b[threadIdx.y][threadIdx.x] = b[(tile * S + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < S; i++)
            sum += of_a[threadIdx.y][i] * of_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
template __global__ void product_in_tiles<8>(const float *, const float *, float *, int, int, int);
// Numbers of some kind are treated apart: declared data have none of them.
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(at[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void last_of_largest(const float *x, int *at, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    for (int i = 1; r < rows && i < n; i++)
        best = x[r * n + i] >= x[r * n + best] ? i : best;
    if (r < rows)
        at[r] = best;
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]=randint(-99,99)) out(most[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void largest_from_zero(const int *x, int *most, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, m = 0;
    for (int i = 0; r < rows && i < n; i++)
        m = max(m, x[r * n + i]);
    if (r < rows)
        most[r] = m;
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void by_length_and_more(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float all = 0;
    for (int i = 0; r < rows && i < n; i++)
        all += x[r * n + i] * x[r * n + i];
    for (int i = 0; r < rows && i < n; i++)
        y[r * n + i] = x[r * n + i] / (sqrtf(all) + 1e-8f);
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void by_root_mean_square_and_more(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float all = 0;
    for (int i = 0; r < rows && i < n; i++)
        all += x[r * n + i] * x[r * n + i];
    for (int i = 0; r < rows && i < n; i++)
        y[r * n + i] = x[r * n + i] / (sqrtf(all / n) + 1e-6f);
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void by_root_mean_square_alone(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float all = 0;
    for (int i = 0; r < rows && i < n; i++)
        all += x[r * n + i] * x[r * n + i];
    for (int i = 0; r < rows && i < n; i++)
        y[r * n + i] = x[r * n + i] * rsqrtf(all / n);
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void shares_of_what_is_not_low(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float top = -1e20f, all = 0;
    for (int i = 0; r < rows && i < n; i++)
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; r < rows && i < n; i++)
        all += expf(x[r * n + i] - top);
    for (int i = 0; r < rows && i < n; i++)
        y[r * n + i] = expf(x[r * n + i] - top) / all;
}
// A parameter that is zero, and a size that is none.
#pragma ks optimize
#pragma ks workload let(m=20, n=24, k=18) let(turned=0) set(apart=0) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16),3) \
    block(16,16)
__global__ void product_by_flags(const float *a, const float *b, float *c, int m, int n, int k, int turned, long long apart)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int l = 0; i < m && j < n && l < k; l++)
        s += (turned ? a[l * m + i] : a[i * k + l]) * b[apart + l * n + j];
    if (i < m && j < n && blockIdx.z == 0)
        c[i * n + j] = s;
}
// A mark with no number below zero: a sum is no sum of magnitudes, and the other way round.
#pragma ks optimize
#pragma ks workload let(rows=64, n=300) in(x[rows*n]=uniform(0,1)) out(sum[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void sum_of_shares(const float *x, float *sum, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = 0; r < rows && i < n; i++)
        s += x[r * n + i];
    if (r < rows)
        sum[r] = s;
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=300) in(x[rows*n]=uniform(0,1)) out(sum[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void sum_of_sizes(const float *x, float *sum, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = 0; r < rows && i < n; i++)
        s += fabsf(x[r * n + i]);
    if (r < rows)
        sum[r] = s;
}
// As shares_of_what_is_not_low, but of rows with lower numbers alone zeros, where that has nothing that is a number.
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void shares_or_zero(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float top = -1e20f, all = 0;
    for (int i = 0; r < rows && i < n; i++)
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; r < rows && i < n; i++)
        all += expf(x[r * n + i] - top);
    for (int i = 0; r < rows && i < n; i++)
        y[r * n + i] = all > 0 ? expf(x[r * n + i] - top) / all : 0;
}
// A whole number below all that a small run would draw; and sums of exponentials that go on in one reading.
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void log_shares_of_what_is_not_low(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float top = -10000, all = 0;
    for (int i = 0; r < rows && i < n; i++) {
        const float v = x[r * n + i], before = top;
        top = v > top ? v : top;
        all = all * expf(before - top) + expf(v - top);
    }
    for (int i = 0; r < rows && i < n; i++)
        y[r * n + i] = x[r * n + i] - top - logf(all);
}
// A row's length is a number of the text.
#pragma ks optimize
#pragma ks workload let(rows=40) in(x[rows*96]) out(y[rows*96]) grid(rows) block(96)
__global__ void sums_in_front_of_96(const float *x, float *y, int rows)
{
    __shared__ float held[96];
    int i = threadIdx.x;
    held[i] = x[blockIdx.x * 96 + i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < i; k++)
        sum += held[k];
    y[blockIdx.x * 96 + i] = sum;
}
// And so are all of a product's, one of which the launch alone shows.
#pragma ks optimize
#pragma ks workload in(a[960]) in(b[1280]) out(c[768]) grid(4,3) block(8,8)
__global__ void product_of_numbers(const float *a, const float *b, float *c)
{
    int j = blockIdx.x * 8 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    float s = 0;
    for (int l = 0; l < 40; l++)
        s += a[i * 40 + l] * b[l * 32 + j];
    c[i * 32 + j] = s;
}
// The mark calls it a size, which no parameter has.
#pragma ks optimize
#pragma ks workload let(rows=40, cols=48) in(x[rows*cols]) out(y[rows]) grid(rows) block(32)
__global__ void length_of_48(const float *x, float *y)
{
    float sum = 0;
    for (int i = 0; i < 48; i++)
        sum += x[blockIdx.x * 48 + i] * x[blockIdx.x * 48 + i];
    if (threadIdx.x == 0)
        y[blockIdx.x] = sqrtf(sum);
}
// Of three dimensions the first and the last change places.
#pragma ks optimize
#pragma ks workload let(a=20, b=6, c=30) in(x[a*b*c]) out(y[a*b*c]) grid(ceildiv(a*b*c,128)) block(128)
__global__ void around_the_middle(const float *x, float *y, int a, int b, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a * b * c)
        y[(i % c * b + i / c % b) * a + i / c / b] = x[i];
}
// Running sums along columns, from above and from below; and one of what is not the first row's.
#pragma ks optimize
#pragma ks workload let(b=2, rows=60, cols=70) in(x[b*rows*cols]) out(y[b*rows*cols]) grid(ceildiv(cols,32),b) block(32)
__global__ void sums_down(const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; c < cols && r < rows; r++)
        y[(blockIdx.y * rows + r) * cols + c] = sum += x[(blockIdx.y * rows + r) * cols + c];
}
#pragma ks optimize
#pragma ks workload let(rows=60, cols=70) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(cols,32)) block(32)
__global__ void sums_up(const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = rows - 1; c < cols && r >= 0; r--)
        y[r * cols + c] = sum += x[r * cols + c];
}
#pragma ks optimize
#pragma ks workload let(rows=60, cols=70) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(cols,32)) block(32)
__global__ void almost_sums_down(const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; c < cols && r < rows; r++)
        y[r * cols + c] = r == 0 ? x[c] : sum += x[r * cols + c];
}
