// Windows and what goes along rows, in other spellings than the ports', and what is almost one.
#pragma ks optimize
#pragma ks workload let(b=3, c=4, h=30, w=40) in(x[b*c*h*w]) out(y[b*c*((h+1)/2)*((w+1)/2)]) grid((h+1)/2,b*c) block(64)
__global__ void largest_of_nine(const float *x, float *y, int h, int w)
{
    int oh = (h + 1) / 2, ow = (w + 1) / 2, row = blockIdx.x, plane = blockIdx.y;
    for (int i = threadIdx.x; i < ow; i += blockDim.x) {
        float best = -INFINITY;
        for (int k = 0; k < 9; k++) {
            int v = 2 * row + k / 3 - 1, u = 2 * i + k % 3 - 1;
            if (v >= 0 && v < h && u >= 0 && u < w && x[(plane * h + v) * w + u] > best)
                best = x[(plane * h + v) * w + u];
        }
        y[(plane * oh + row) * ow + i] = best;
    }
}
#pragma ks optimize
#pragma ks workload let(b=3, c=4, h=30, w=40) in(x[b*c*h*w]) out(y[b*c*((h+1)/2)*((w+1)/2)]) grid((h+1)/2,b*c) block(64)
__global__ void largest_or_zero(const float *x, float *y, int h, int w)
{
    int oh = (h + 1) / 2, ow = (w + 1) / 2, row = blockIdx.x, plane = blockIdx.y;
    for (int i = threadIdx.x; i < ow; i += blockDim.x) {
        float best = -1e30f;
        for (int k = 0; k < 9; k++) {
            int v = 2 * row + k / 3 - 1, u = 2 * i + k % 3 - 1;
            bool in = v >= 0 && v < h && u >= 0 && u < w;
            best = fmaxf(best, in ? x[(plane * h + v) * w + u] : 0.0f);
        }
        y[(plane * oh + row) * ow + i] = best;
    }
}
#pragma ks optimize
#pragma ks workload let(planes=12, n=60) in(x[planes*n]) out(y[planes*(n/2-1)]) grid(ceildiv(planes*(n/2-1),64)) block(64)
__global__ void halves(const float *x, float *y, int n, int planes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = n / 2 - 1;
    if (i < planes * o) {
        const float *p = x + i / o * n + i % o * 2;
        y[i] = 0;
        for (int k = 0; k < 4; k++)
            y[i] += 0.25f * p[k];
    }
}
#pragma ks optimize
#pragma ks workload let(b=3, c=5, h=20, w=25) in(x[b*c*h*w]) in(k[c*3*5]) out(y[b*c*h*w]) grid(ceildiv(w,32),h,b*c) block(32)
__global__ void each_channel(const float *k, const float *x, float *y, int c, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.z, r = blockIdx.y;
    float s = 0;
    for (int t = 0; i < w && t < 15; t++) {
        int v = r + t / 5 - 1, u = i + t % 5 - 2;
        s += v < 0 || v >= h || u < 0 || u >= w ? 0.0f : k[p % c * 15 + t] * x[(p * h + v) * w + u];
    }
    if (i < w)
        y[(p * h + r) * w + i] = s;
}
#pragma ks optimize
#pragma ks workload let(b=2, ci=3, co=4, n=40) in(x[b*ci*n]) in(k[ci*co*3]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)
__global__ void line_filter(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
    float s = 0;
    for (int t = -1; i < n && t <= 1; t++)
        for (int c = 0; c < ci && i + t >= 0 && i + t < n; c++)
            s += x[(b * ci + c) * n + i + t] * k[(o * ci + c) * 3 + t + 1];
    if (i < n)
        y[(b * gridDim.y + o) * n + i] = s;
}
// As many taps as have no bits of their own.
#pragma ks optimize
#pragma ks workload let(b=2, ci=3, co=4, n=80) in(x[b*ci*n]) in(k[ci*co*33]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)
__global__ void long_filter(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
    if (i >= n)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int j = 0; j < 33; j++)
            if (i + j - 16 >= 0 && i + j - 16 < n)
                sum += x[(b * ci + c) * n + i + j - 16] * k[(o * ci + c) * 33 + j];
    y[(b * gridDim.y + o) * n + i] = sum;
}

#pragma ks optimize
#pragma ks workload let(b=2, ci=3, co=4, n=9) in(x[b*ci*n*n*n]) in(k[ci*co*8]) out(y[b*co*(n-1)*(n-1)*(n-1)]) \
    grid(ceildiv((n-1)*(n-1)*(n-1),64),co,b) block(64)
__global__ void cubes(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z, m = n - 1;
    if (i >= m * m * m)
        return;
    const float *at = x + b * ci * n * n * n + (i / (m * m) * n + i / m % m) * n + i % m;
    float s = 0;
    for (int c = 0; c < ci; c++, at += n * n * n)
        for (int t = 0; t < 8; t++)
            s += at[(t / 4 * n + t / 2 % 2) * n + t % 2] * k[(o * ci + c) * 8 + t];
    y[(b * gridDim.y + o) * m * m * m + i] = s;
}
#pragma ks optimize
#pragma ks workload let(b=2, ci=3, co=4, n=7) in(x[b*ci*n*n*n]) in(k[ci*co*8]) out(y[b*co*8*n*n*n]) grid(ceildiv(8*n*n*n,64),co,b) block(64)
__global__ void larger_cubes(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z, m = 2 * n;
    if (i >= m * m * m)
        return;
    int z = i / (m * m), v = i / m % m, u = i % m;
    float s = 0;
    for (int c = 0; c < ci; c++)
        s += x[(((b * ci + c) * n + z / 2) * n + v / 2) * n + u / 2] *
             k[(c * gridDim.y + o) * 8 + (z % 2 * 2 + v % 2) * 2 + u % 2];
    y[(b * gridDim.y + o) * m * m * m + i] = s;
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void by_root_mean_square(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float s = 0;
    for (int i = n - 1; i >= 0; i--)
        s += x[r * n + i] * x[r * n + i] / n;
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] / sqrtf(s + 1e-6f);
}
#pragma ks optimize
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void sums_in_front(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = 0; r < rows && i < n; i++) {
        float v = x[r * n + i];
        y[r * n + i] = s;
        s += v;
    }
}
#pragma ks optimize
#pragma ks workload let(b=2, ci=3, co=4, n=40) in(x[b*ci*n]) in(k[ci*co*3]) in(bias[co]) in(old[b*co*n]) out(y[b*co*n]) \
    grid(ceildiv(n,64),co,b) block(64)
__global__ void line_filter_and_more(const float *x, const float *k, const float *bias, const float *old, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
    if (i >= n)
        return;
    float s = bias[o];
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 3; t++)
            if (i + t >= 1 && i + t - 1 < n)
                s += x[(b * ci + c) * n + i + t - 1] * k[(o * ci + c) * 3 + t];
    s = s > 0 ? s : 0.1f * s;
    y[(b * gridDim.y + o) * n + i] = s + old[(b * gridDim.y + o) * n + i];
}
#pragma ks optimize
#pragma ks workload let(b=4, c=12, n=90) in(x[b*c*n]) out(mid[c]) out(by[c]) grid(ceildiv(c,32)) block(32)
__global__ void middle_and_width(const float *x, float *by, float *mid, int b, int n, int c)
{
    int k = blockIdx.x * 32 + threadIdx.x;
    if (k >= c)
        return;
    double s = 0, q = 0;
    for (int i = 0; i < b * n; i++)
        s += x[(i / n * c + k) * n + i % n] / (double)(b * n);
    for (int i = 0; i < b * n; i++)
        q += pow(x[(i / n * c + k) * n + i % n] - s, 2.0) / (b * n);
    mid[k] = (float)s;
    by[k] = (float)(1 / sqrt(q + 1e-4));
}
#pragma ks optimize
#pragma ks workload let(rows=300, cols=70) in(x[rows*cols]) out(width[cols]) out(mid[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void columns(const float *x, float *width, float *mid, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= cols)
        return;
    float s = 0, q = 0;
    for (int r = 0; r < rows; r++) {
        s += x[r * cols + c];
        q += x[r * cols + c] * x[r * cols + c];
    }
    mid[c] = s / rows;
    width[c] = rsqrtf(q / rows - mid[c] * mid[c] + 1e-3f);
}
#pragma ks optimize
#pragma ks workload let(rows=300, cols=70) in(x[rows*cols]) out(width[cols]) out(mid[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void almost_columns(const float *x, float *width, float *mid, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= cols)
        return;
    float s = 0, q = 0;
    for (int r = 0; r < rows; r++) {
        s += x[r * cols + c];
        q += x[r * cols + c] * x[r * cols + c];
    }
    mid[c] = s / rows;
    width[c] = c % 4 == 1 ? 1.0f : rsqrtf(q / rows - mid[c] * mid[c] + 1e-3f);
}
// The variance itself, of a sample; two numbers of the text are no epsilon.
#pragma ks optimize
#pragma ks workload let(rows=300, cols=70) in(x[rows*cols]) out(mid[cols]) out(width[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void variances(const float *x, float *mid, float *width, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= cols)
        return;
    float s = 0.25f - 0.25f, q = 1.5f - 1.5f;
    for (int r = 0; r < rows; r++)
        s += x[r * cols + c];
    s /= rows;
    for (int r = 0; r < rows; r++)
        q += (x[r * cols + c] - s) * (x[r * cols + c] - s);
    mid[c] = s;
    width[c] = q / (rows - 1);
}
#pragma ks optimize
#pragma ks workload let(rows=300, cols=70) in(x[rows*cols]) out(mid[cols]) out(width[cols]) grid(ceildiv(cols,32)) block(32)
__global__ void deviations(const float *x, float *mid, float *width, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= cols)
        return;
    float s = 0, q = 0;
    for (int r = 0; r < rows; r++) {
        s += x[r * cols + c];
        q += x[r * cols + c] * x[r * cols + c];
    }
    mid[c] = s / rows;
    width[c] = sqrtf(q / rows - mid[c] * mid[c]);
}
// What follows a row's sum, which a block's threads left in shared memory.
#pragma ks optimize
#pragma ks workload let(rows=40, n=300) in(x[rows*n]) in(by[rows]) out(y[rows]) grid(rows) block(64)
__global__ void lengths_by(const float *x, const float *by, float *y, int n)
{
    __shared__ float part[64];
    float s = 0;
    for (int i = threadIdx.x; i < n; i += 64)
        s += x[blockIdx.x * n + i] * x[blockIdx.x * n + i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = sqrtf(part[0] / n + 1e-6f) * by[blockIdx.x];
}
// A bias' gradient: sums over two axes in front, added to what is there.
#pragma ks optimize
#pragma ks workload let(b=4, t=30, n=70) in(x[b*t*n]) inout(sum[n]) grid(ceildiv(n,32)) block(32)
__global__ void bias_gradient(const float *x, float *sum, int b, int t, int n)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c >= n)
        return;
    float s = 0;
    for (int i = 0; i < b; i++)
        for (int k = 0; k < t; k++)
            s += x[(i * t + k) * n + c];
    sum[c] += s;
}
#pragma ks optimize
#pragma ks workload let(b=4, c=12, n=90) in(x[b*c*n]) out(y[b*c*n]) grid(ceildiv(n,32),b) block(32)
__global__ void shares_of_channels(const float *x, float *y, int c, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n)
        return;
    x += blockIdx.y * c * n + i, y += blockIdx.y * c * n + i;
    float top = x[0], all = 0;
    for (int k = 1; k < c; k++)
        top = fmaxf(top, x[k * n]);
    for (int k = 0; k < c; k++)
        all += expf(x[k * n] - top);
    for (int k = 0; k < c; k++)
        y[k * n] = expf(x[k * n] - top) / all;
}
#pragma ks optimize assume(n >= 10)
#pragma ks workload let(rows=64, n=500) in(x[rows*n]) in(which[rows]=randint(0,0)) out(lost[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void surprise(const int *which, const float *x, float *lost, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; i < n; i++)
        all += expf(x[r * n + i] - top);
    lost[r] = logf(all) - (x[r * n + which[r]] - top);
}
#pragma ks optimize
#pragma ks workload let(planes=12, n=60) in(x[planes*n]) out(y[planes*(n/2)]) grid(ceildiv(planes*(n/2),64)) block(64)
__global__ void largest_of_what_is_not_low(const float *x, float *y, int planes, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x, out = n / 2;
    if (i >= planes * out)
        return;
    const float *p = x + i / out * n + i % out * 2;
    y[i] = fmaxf(-1e30f, fmaxf(p[0], p[1]));
}
#pragma ks optimize
#pragma ks workload let(b=3, ci=5, co=6, n=60) set(step=2) set(pad=1) set(taps=3) let(out=(n-1)/2+1) in(x[b*ci*n]) in(k[co*ci*3]) \
    out(y[b*co*out]) grid(ceildiv(out,64),co,b) block(64)
__global__ void line_filter_in_numbers(const float *x, const float *k, float *y, int ci, int n, int out, int step, int pad, int taps)
{
    int i = blockIdx.x * 64 + threadIdx.x, o = blockIdx.y, z = blockIdx.z;
    float s = 0;
    for (int c = 0; i < out && c < ci; c++)
        for (int t = 0; t < taps; t++)
            if (i * step - pad + t >= 0 && i * step - pad + t < n)
                s += x[(z * ci + c) * n + i * step - pad + t] * k[(o * ci + c) * taps + t];
    if (i < out)
        y[(z * gridDim.y + o) * out + i] = s;
}
// Of what lies in the image alone.
#pragma ks optimize
#pragma ks workload let(planes=4, h=10, w=13) in(x[planes*h*w]) out(y[planes*((h+1)/2)*w]) grid(ceildiv(planes*((h+1)/2)*w,64)) block(64)
__global__ void mean_of_what_is_there(const float *x, float *y, int planes, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, rows = (h + 1) / 2;
    if (i >= planes * rows * w)
        return;
    int c = i % w, r = i / w % rows, n = 0;
    x += i / w / rows * h * w;
    float sum = 0;
    for (int dr = 0; dr < 3; dr++)
        for (int dc = 0; dc < 5; dc++) {
            int at = 2 * r + dr - 1, col = c + dc - 2;
            if (at < 0 || at >= h || col < 0 || col >= w)
                continue;
            sum += x[at * w + col];
            n++;
        }
    y[i] = sum / n;
}
// Widths, strides and the like are sizes of let(), and channels go in groups.
#pragma ks optimize
#pragma ks workload let(b=2, ci=4, co=6, n=60, k=3, stride=2, pad=1, step=1, groups=2, o=(n+2*pad-step*(k-1)-1)/stride+1) \
    in(x[b*ci*n]) in(w[co*(ci/groups)*k]) out(y[b*co*o]) grid(ceildiv(b*co*o,64)) block(64)
__global__ void filter_by_sizes(const float *x, const float *w, float *y, int b, int ci, int co, int n, int o, int k, int stride, int pad, int step,
                                int groups)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, c = at / o % co, each = ci / groups, first = c / (co / groups) * each;
    float sum = 0;
    if (at >= b * co * o)
        return;
    for (int j = 0; j < each; j++)
        for (int t = 0; t < k; t++) {
            int u = at % o * stride - pad + t * step;
            if (u >= 0 && u < n)
                sum += x[(at / o / co * ci + first + j) * n + u] * w[(c * each + j) * k + t];
        }
    y[at] = sum;
}
// The middle counts twice.
#pragma ks optimize
#pragma ks workload let(b=2, c=4, h=20, w=30, k=3) in(x[b*c*h*w]) in(taps[c*k*k]) out(y[b*c*(h-k+1)*(w-k+1)]) grid(c,b) block(64)
__global__ void twice_the_middle_by_sizes(const float *x, const float *taps, float *y, int c, int h, int w, int k)
{
    int oh = h - k + 1, ow = w - k + 1, plane = blockIdx.y * c + blockIdx.x;
    for (int i = threadIdx.x; i < oh * ow; i += blockDim.x) {
        float sum = 0;
        for (int v = 0; v < k; v++)
            for (int u = 0; u < k; u++)
                sum += x[(plane * h + i / ow + v) * w + i % ow + u] * taps[(blockIdx.x * k + v) * k + u] * (u == k / 2 ? 2 : 1);
        y[plane * oh * ow + i] = sum;
    }
}
// From one in front to one behind, and as many as there are.
#pragma ks optimize
#pragma ks workload let(planes=4, h=20, w=30) in(x[planes*h*w]) out(y[planes*h*w]) grid(ceildiv(planes*h*w,64)) block(64)
__global__ void mean_about(const float *x, float *y, int planes, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / w % h, col = i % w, n = 0;
    float sum = 0;
    if (i >= planes * h * w)
        return;
    for (int v = max(row - 1, 0); v <= min(row + 1, h - 1); v++)
        for (int u = max(col - 1, 0); u <= min(col + 1, w - 1); u++, n++)
            sum += x[(i / w / h * h + v) * w + u];
    y[i] = sum / n;
}
// A width that is a size, sums that begin at a channel's element, and a limit.
#pragma ks optimize
#pragma ks workload let(b=2, c=4, h=20, w=30, k=3) in(x[b*c*h*w]) in(taps[c*k*k]) in(from[c]) in(old[b*c*(h-k+1)*(w-k+1)]) out(y[b*c*(h-k+1)*(w-k+1)]) grid(c,b) block(64)
__global__ void each_channel_and_more(const float *x, const float *taps, const float *from, const float *old, float *y, int c, int h, int w, int k)
{
    int oh = h - k + 1, ow = w - k + 1, plane = blockIdx.y * c + blockIdx.x;
    for (int i = threadIdx.x; i < oh * ow; i += blockDim.x) {
        float sum = from[blockIdx.x];
        for (int v = 0; v < k; v++)
            for (int u = 0; u < k; u++)
                sum += x[(plane * h + i / ow + v) * w + i % ow + u] * taps[(blockIdx.x * k + v) * k + u];
        y[plane * oh * ow + i] = fmaxf(sum + old[plane * oh * ow + i], 0.0f);
    }
}
