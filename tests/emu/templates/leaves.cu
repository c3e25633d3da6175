// Kernels that run the templates which no other file's kernels run.
#pragma ks optimize
#pragma ks workload let(b=1, ci=2, co=3, h=3, w=4) in(x[b*ci*h*w]) in(k[ci*co*9]) out(y[b*co*(2*h+1)*(2*w+1)]) \
    grid(ceildiv((2*h+1)*(2*w+1),64),co,b) block(64)
__global__ void back(const float *x, const float *k, float *y, int ci, int co, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, n = blockIdx.z, oh = 2 * h + 1, ow = 2 * w + 1;
    if (i >= oh * ow)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) {
                int v = i / ow - r, u = i % ow - s;
                if (v >= 0 && u >= 0 && v % 2 == 0 && u % 2 == 0 && v / 2 < h && u / 2 < w)
                    sum += x[((n * ci + c) * h + v / 2) * w + u / 2] * k[((c * co + o) * 3 + r) * 3 + s];
            }
    y[(n * co + o) * oh * ow + i] = sum;
}
#pragma ks optimize
#pragma ks workload let(b=1, c=2, n=20) in(x[b*c*n]) in(k[c*3]) out(y[b*c*n]) grid(ceildiv(n,32),c,b) block(32)
__global__ void each_line(const float *x, const float *k, float *y, int c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.z * c + blockIdx.y;
    if (i >= n)
        return;
    float sum = 0;
    for (int r = -1; r <= 1; r++)
        if (i + r >= 0 && i + r < n)
            sum += x[p * n + i + r] * k[blockIdx.y * 3 + r + 1];
    y[p * n + i] = sum;
}
#pragma ks optimize
#pragma ks workload let(b=1, c=2, n=4) in(x[b*c*n*n*n]) in(k[c*8]) out(y[b*c*(n-1)*(n-1)*(n-1)]) \
    grid(ceildiv((n-1)*(n-1)*(n-1),64),c,b) block(64)
__global__ void each_volume(const float *x, const float *k, float *y, int c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.z * c + blockIdx.y, m = n - 1;
    if (i >= m * m * m)
        return;
    x += ((p * n + i / (m * m)) * n + i / m % m) * n + i % m;
    float sum = 0;
    for (int t = 0; t < 8; t++)
        sum += x[(t / 4 * n + t / 2 % 2) * n + t % 2] * k[blockIdx.y * 8 + t];
    y[p * m * m * m + i] = sum;
}
#pragma ks optimize
#pragma ks workload let(planes=2, n=4) in(x[planes*n*n*n]) out(y[planes*(n/2)*(n/2)*(n/2)]) \
    grid(ceildiv((n/2)*(n/2)*(n/2),64),planes) block(64)
__global__ void largest_of_eight(const float *x, float *y, int n)
{
    int m = n / 2, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * m * m)
        return;
    x += ((blockIdx.y * n + i / (m * m) * 2) * n + i / m % m * 2) * n + i % m * 2;
    float best = -INFINITY;
    for (int t = 0; t < 8; t++)
        best = fmaxf(best, x[(t / 4 * n + t / 2 % 2) * n + t % 2]);
    y[blockIdx.y * m * m * m + i] = best;
}
#pragma ks optimize
#pragma ks workload let(b=2, m=3, k=5, n=10) in(x[b*k*n]) in(w[m*k]) out(y[b*m*n]) grid(ceildiv(n,32),m,b) block(32)
__global__ void mixed(const float *w, const float *x, float *y, int k, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += w[blockIdx.y * k + l] * x[(blockIdx.z * k + l) * n + j];
    y[(blockIdx.z * gridDim.y + blockIdx.y) * n + j] = sum;
}
#pragma ks optimize
#pragma ks workload let(n=20) in(a[n*n]) in(b[n*n]) out(c[n*n]) grid(ceildiv(n,16),ceildiv(n,16)) block(16,16)
__global__ void lower(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float sum = 0;
    for (int l = j; l <= i; l++)
        sum += a[i * n + l] * b[l * n + j];
    c[i * n + j] = sum;
}
#pragma ks optimize
#pragma ks workload let(m=10, n=20, k=6) in(a[m*k]) in(b[k*n]) inout(c[m*n]) set(alpha=0.5) set(beta=0.25) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void updated(const float *a, const float *b, float *c, float alpha, float beta, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = alpha * sum + beta * c[i * n + j];
}
#pragma ks optimize
#pragma ks workload let(n=100) in(x[n]) out(y[1]) grid(1) block(32)
__global__ void length(const float *x, float *y, int n)
{
    if (threadIdx.x > 0)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    y[0] = sqrtf(sum);
}
#pragma ks optimize
#pragma ks workload let(z=2, rows=10, cols=3) in(x[z*rows*cols]) out(y[z*cols]) grid(ceildiv(z*cols,64)) block(64)
__global__ void means(const float *x, float *y, int z, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= z * cols)
        return;
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += x[(i / cols * rows + r) * cols + i % cols];
    y[i] = sum / rows;
}
#pragma ks optimize
#pragma ks workload let(rows=2, n=20) in(x[rows*n]) in(mask[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void where(const unsigned *x, const bool *mask, unsigned *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int i = r * n; r < rows && i < r * n + n; i++) {
        if (mask[i])
            sum += x[i];
        y[i] = sum;
    }
}
#pragma ks optimize
#pragma ks workload let(rows=2, n=20) in(x[rows*n]) out(y[rows*(n+1)]) grid(ceildiv(rows,32)) block(32)
__global__ void from_zero(const double *x, double *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        y[r * (n + 1) + i] = sum;
        sum += x[r * n + i];
    }
    y[r * (n + 1) + n] = sum;
}
#pragma ks optimize
#pragma ks workload let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void sums(const long long *x, long long *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    long long sum = 0;
    for (int i = r * n; r < rows && i < r * n + n; i++)
        y[i] = sum += x[i];
}
#pragma ks optimize
#pragma ks workload let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void products(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    double product = 1;
    for (int i = r * n; r < rows && i < r * n + n; i++)
        y[i] = (float)(product *= x[i]);
}
#pragma ks optimize
#pragma ks workload let(rows=2, n=20) in(x[rows*n]) in(g[n]) in(b[n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void layer(const float *x, const float *g, const float *b, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    double mean = 0, square = 0;
    for (int i = 0; i < n; i++)
        mean += x[r * n + i];
    mean /= n;
    for (int i = 0; i < n; i++)
        square += (x[r * n + i] - mean) * (x[r * n + i] - mean);
    for (int i = 0; i < n; i++)
        y[r * n + i] = (float)((x[r * n + i] - mean) / sqrt(square / n + 1e-5)) * g[i] + b[i];
}
#pragma ks optimize
#pragma ks workload let(b=2, c=6, n=5, groups=3) in(x[b*c*n]) in(g[c]) in(s[c]) out(y[b*c*n]) grid(b*groups) block(1)
__global__ void groups_of_channels(const float *x, const float *g, const float *s, float *y, int c, int groups, int n)
{
    int at = blockIdx.x, per = c / groups, len = per * n;
    const float *line = x + at * len;
    double mean = 0, square = 0;
    for (int i = 0; i < len; i++)
        mean += line[i];
    mean /= len;
    for (int i = 0; i < len; i++)
        square += (line[i] - mean) * (line[i] - mean);
    for (int i = 0; i < len; i++) {
        int channel = at % groups * per + i / n;
        y[at * len + i] = (float)((line[i] - mean) / sqrt(square / len + 1e-5)) * g[channel] + s[channel];
    }
}
#pragma ks optimize
#pragma ks workload let(z=2, rows=5, cols=9) in(x[z*rows*cols]) out(y[z*rows*cols]) grid(ceildiv(cols,16),ceildiv(rows,16),z) block(16,16)
__global__ void turned(const int *x, int *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        y[(blockIdx.z * cols + c) * rows + r] = x[(blockIdx.z * rows + r) * cols + c];
}
#pragma ks optimize
#pragma ks workload let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void shares(const double *x, double *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    double top = x[r * n], all = 0;
    for (int i = 1; i < n; i++)
        top = fmax(top, x[r * n + i]);
    for (int i = 0; i < n; i++)
        all += exp(x[r * n + i] - top);
    for (int i = 0; i < n; i++)
        y[r * n + i] = exp(x[r * n + i] - top) / all;
}
#pragma ks optimize
#pragma ks workload let(rows=2, n=20) in(x[rows*n]) in(g[n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void with_gain(const float *x, const float *g, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float square = 0;
    for (int i = 0; i < n; i++)
        square += x[r * n + i] * x[r * n + i];
    float by = rsqrtf(square / n + 1e-6f);
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] * by * g[i];
}
