// Plain products of matrices, for templates.sh.

#pragma ks optimize
#pragma ks workload let(m=33) let(n=36) let(k=20) let(z=2) in(a[z*m*k]) in(b[z*n*k]) out(c[z*m*n]) grid(ceildiv(n,16),ceildiv(m,16),z) block(16,16)
__global__ void batch_tn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[(z * k + l) * m + i] * b[(z * k + l) * n + j];
    c[(z * m + i) * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=37) let(k=300) in(a[m*k]) in(x[k]) out(y[m]) grid(m) block(64)
__global__ void by_row(const float *a, const float *x, float *y, int k)
{
    __shared__ float part[64];
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 64)
        sum += a[blockIdx.x * k + l] * x[l];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}

#pragma ks optimize
#pragma ks workload let(n=70) let(k=45) set(alpha=0.75) in(x[k]) in(a[k*n]) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void by_column(const float *x, const float *a, float *y, float alpha, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int l = 0; j < n && l < k; l++)
        sum += x[l] * a[l * n + j];
    if (j < n)
        y[j] = alpha * sum;
}

#pragma ks optimize
#pragma ks workload let(m=33) let(n=70) in(b[m*n]) in(d[n]) out(c[m*n]) grid(ceildiv(n,64),m) block(64)
__global__ void times_diagonal(const float *b, const float *d, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n)
        c[blockIdx.y * n + j] = d[j] * b[blockIdx.y * n + j];
}

#pragma ks optimize
#pragma ks workload let(m=33) let(n=70) in(d[m]) in(b[m*n]) out(c[m*n]) grid(ceildiv(m*n,64)) block(64)
__global__ void diagonal_times(const float *d, const float *b, float *c, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n)
        c[i] = b[i] * d[i / n];
}

// What follows the sum is kept: a bias, functions, a choice, a factor a row and one of all.
__device__ static float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}
__device__ static float swish(const float u)
{
    return u * sigmoid(u);
}
#pragma ks optimize
#pragma ks workload let(m=33) let(n=38) let(k=20) set(slope=0.25) in(x[m*k]) in(w[n*k]) in(bias[n]) in(scale[m]) in(keep[m*n]=randint(0,1)) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void followed(const float *x, const float *w, const float *bias, const float *scale, const unsigned char *keep, float *y,
                         float slope, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float half = 0.5f;
    if (row < m && col < n) {
        float v = bias[col];
        for (int i = 0; i < k; i++)
            v += x[row * k + i] * w[col * k + i];
        v = fminf(swish(v) * scale[row] + half, 4.0f);
        if (v < 0.0f)
            v *= slope;
        else if (v > 2.0f)
            v = 2.0f;
        const float kept = keep[row * n + col] ? v : 0.0f;
        y[row * n + col] = kept / 0.8f;
    }
}

// An index that is none of those that are known: not a product with something behind it.
#pragma ks optimize
#pragma ks workload let(m=33) let(n=38) let(k=20) in(x[m*k]) in(w[n*k]) in(bias[n]) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void followed_shifted(const float *x, const float *w, const float *bias, float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = 0;
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * w[col * k + i];
    y[row * n + col] = v + bias[n - 1 - col];
}

#pragma ks optimize
#pragma ks workload let(m=70) let(n=133) let(k=37) in(a[m*k]) in(b[n*k]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void ragged_nn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}

// All zero for what the mark draws from: only other numbers tell how it is bound.
#pragma ks optimize
#pragma ks workload let(m=33) let(n=38) let(k=20) in(x[m*k]=uniform(-1,1)) in(w[n*k]=uniform(-0.01,0.01)) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void cut_off(const float *x, const float *w, float *y, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float v = 0;
    for (int i = 0; i < k; i++)
        v += x[row * k + i] * w[col * k + i];
    y[row * n + col] = fmaxf(v - 2.0f, 0.0f);
}

// A sum that begins with a bias.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=20) in(a[m*k]) in(x[k]) in(bias[m]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void biased(const float *a, const float *x, const float *bias, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = bias[i];
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * x[l];
    y[i] = fmaxf(sum, 0);
}

// A warp a row, whose lanes a function combines; what follows asks whether there is a bias.
__device__ __forceinline__ float of_warp(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

#pragma ks optimize
#pragma ks workload let(m=7) let(k=40) in(a[m*k]) in(x[k]) in(bias[m]) out(y[m]) grid(ceildiv(m,2)) block(32,2)
__global__ void by_warps(const float *a, const float *x, const float *bias, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 32)
        sum += a[i * k + l] * x[l];
    sum = of_warp(sum);
    if (threadIdx.x == 0) {
        if (bias != nullptr)
            sum += bias[i];
        y[i] = (bias ? 1.f : 0.f) * fmaxf(sum, 0);
    }
}

// A block a row, and what follows what is left in shared memory.
#pragma ks optimize
#pragma ks workload let(m=7) let(k=40) in(a[m*k]) in(x[k]) in(bias[m]) out(y[m]) grid(m) block(64)
__global__ void by_row_biased(const float *a, const float *x, const float *bias, float *y, int k)
{
    __shared__ float part[64];
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 64)
        sum += a[blockIdx.x * k + l] * x[l];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float all = part[0] + bias[blockIdx.x];
        y[blockIdx.x] = all > 0 ? all : 0;
    }
}

// The function leaves out half of the lanes.
__device__ __forceinline__ float of_half(float v)
{
    for (int d = 8; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

#pragma ks optimize
#pragma ks workload let(m=7) let(k=40) in(a[m*k]) in(x[k]) in(bias[m]) out(y[m]) grid(m) block(32)
__global__ void by_half(const float *a, const float *x, const float *bias, float *y, int k)
{
    float sum = 0;
    for (int l = threadIdx.x; l < k; l += 32)
        sum += a[blockIdx.x * k + l] * x[l];
    sum = of_half(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum + bias[blockIdx.x];
}

// Another row's bias.
#pragma ks optimize
#pragma ks workload let(m=37) let(k=20) in(a[m*k]) in(x[k]) in(bias[m]) out(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void biased_backward(const float *a, const float *x, const float *bias, float *y, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = bias[m - 1 - i];
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * x[l];
    y[i] = fmaxf(sum, 0);
}

// No test of edges, and the rows of A are in the grid alone.
#pragma ks optimize
#pragma ks workload let(m=16) let(n=64) let(k=64) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(n/16,m/16) block(16,16)
__global__ void by_blocks(float *c, const float *a, const float *b, int k, int n)
{
    __shared__ float as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int at = k * 16 * blockIdx.y, end = at + k, of_b = 16 * blockIdx.x; at < end; at += 16, of_b += 16 * n) {
        as[ty][tx] = a[at + k * ty + tx];
        bs[ty][tx] = b[of_b + n * ty + tx];
        __syncthreads();
        for (int l = 0; l < 16; l++)
            sum += as[ty][l] * bs[l][tx];
        __syncthreads();
    }
    c[n * 16 * blockIdx.y + 16 * blockIdx.x + n * ty + tx] = sum;
}

// The end of the depth is left out.
#pragma ks optimize
#pragma ks workload let(m=16) let(n=64) let(k=64) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(n/16,m/16) block(16,16)
__global__ void by_fewer_blocks(float *c, const float *a, const float *b, int k, int n)
{
    __shared__ float as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int at = k * 16 * blockIdx.y, end = at + k - 16, of_b = 16 * blockIdx.x; at < end; at += 16, of_b += 16 * n) {
        as[ty][tx] = a[at + k * ty + tx];
        bs[ty][tx] = b[of_b + n * ty + tx];
        __syncthreads();
        for (int l = 0; l < 16; l++)
            sum += as[ty][l] * bs[l][tx];
        __syncthreads();
    }
    c[n * 16 * blockIdx.y + 16 * blockIdx.x + n * ty + tx] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=64) let(n=64) let(k=8) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void of_doubles(const double *a, const double *b, double *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    double sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}

// Added to what is there.
#pragma ks optimize
#pragma ks workload let(m=33) let(n=45) set(alpha=1.5) set(beta=0.5) in(a[m*n]) in(x[n]) inout(y[m]) grid(ceildiv(m,32)) block(32)
__global__ void by_row_updated(int m, int n, float alpha, const float *a, const float *x, float beta, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int l = 0; l < n; l++)
        sum += a[i * n + l] * x[l];
    y[i] = alpha * sum + beta * y[i];
}

#pragma ks optimize
#pragma ks workload let(n=70) let(k=45) in(x[k]) in(a[k*n]) inout(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void by_column_added(const double *x, const double *a, double *y, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    double sum = 0;
    for (int l = 0; l < k; l++)
        sum += x[l] * a[l * n + j];
    y[j] += sum;
}
