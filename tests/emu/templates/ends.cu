// What is made of a norm or of what a row or column comes to, in many spellings, for templates_ends.sh.
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
