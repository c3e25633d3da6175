// Products of fp32 whose marks admit that factors are rounded, and the same without, for templates.sh.

#pragma ks optimize tol(sum=1e-3)
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void rounded_nn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void exact_nn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}

#pragma ks optimize tol(sum=1e-3)
#pragma ks workload let(m=72) let(n=40) let(k=56) in(a[k*m]=uniform(-1,1)) in(b[n*k]=uniform(-1,1)) in(bias[n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void rounded_tt_bias(const float *a, const float *b, const float *bias, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[l * m + i] * b[j * k + l];
    c[i * n + j] = fmaxf(sum + bias[j], 0.0f);
}

// The mark admits less than TF32 takes.
#pragma ks optimize tol(sum=1e-4)
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]=uniform(-1,1)) in(b[n*k]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void close_nt(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[j * k + l];
    c[i * n + j] = sum;
}

// More than a sum of products: measured in double.
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[k*m]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void rounded_tn_swish(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[l * m + i] * b[l * n + j];
    c[i * n + j] = sum / (1.0f + expf(-sum));
}

// The marks admit that factors are cut off: one of whole tiles, and of more than are in shared memory at once.
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(m=256) let(n=128) let(k=32) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void cut_nn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(m=40) let(n=24) let(k=164) in(a[m*k]=uniform(0,1)) in(b[n*k]=uniform(0,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void cut_nt(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[j * k + l];
    c[i * n + j] = sum;
}

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[k*m]=uniform(-1,1)) in(b[n*k]=uniform(-1,1)) in(bias[n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void cut_tt_bias(const float *a, const float *b, const float *bias, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[l * m + i] * b[j * k + l];
    c[i * n + j] = fmaxf(sum + bias[j], 0.0f);
}

// Numbers near the least that fp32 has, of which TF32 has but the first bits.
#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]=uniform(-1e-37,1e-37)) in(b[k*n]=uniform(-1,1)) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void tiny_nn(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}

__device__ float mish(float v)
{
    return v * tanhf(v > 20.0f ? v : log1pf(expf(v)));
}

// No tolerance for rounded factors, and more than sums of products.
#pragma ks optimize
#pragma ks workload let(m=32) let(n=36) let(k=40) in(a[m*k]=uniform(-1,1)) in(b[k*n]=uniform(-1,1)) in(bias[n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void exact_nn_mish(const float *a, const float *b, const float *bias, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = bias[j];
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = mish(sum);
}

#pragma ks optimize tol(sum=1e-3)
#pragma ks workload let(b=1, ci=3, co=18, h=4, w=9) in(x[b*ci*h*w]=uniform(-1,1)) in(k[co*ci*9]=uniform(-1,1)) in(bias[co]=uniform(-1,1)) out(y[b*co*h*w]) grid(ceildiv(w,32),h,b*co) block(32)
__global__ void rounded_windows(const float *x, const float *k, const float *bias, float *y, int ci, int co, int h, int w)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, b = blockIdx.z / co, o = blockIdx.z % co;
    if (j >= w)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 9; t++) {
            int v = i + t / 3 - 1, u = j + t % 3 - 1;
            if (v >= 0 && v < h && u >= 0 && u < w)
                sum += x[((b * ci + c) * h + v) * w + u] * k[(o * ci + c) * 9 + t];
        }
    y[((b * co + o) * h + i) * w + j] = sum + bias[o];
}

#pragma ks optimize tol(sum=1e-3)
#pragma ks workload let(b=1, ci=3, co=5, n=10) in(x[b*ci*n]=uniform(-1,1)) in(k[ci*co*4]=uniform(-1,1)) out(y[b*co*(2*n+2)]) grid(ceildiv(2*n+2,64),co,b) block(64)
__global__ void rounded_doubling(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, co = gridDim.y, b = blockIdx.z;
    if (i >= 2 * n + 2)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 4; t++)
            if (i - t >= 0 && (i - t) % 2 == 0 && (i - t) / 2 < n)
                sum += x[(b * ci + c) * n + (i - t) / 2] * k[(c * co + o) * 4 + t];
    y[(b * co + o) * (2 * n + 2) + i] = sum;
}

#pragma ks optimize
#pragma ks workload let(ci=12, co=10, n=11) in(x[ci*n]=uniform(-1,1)) in(k[ci*co*3/2]=uniform(-1,1)) in(bias[co]=uniform(-1,1)) out(y[co*(2*n+1)]) grid(ceildiv(2*n+1,64),co) block(64)
#pragma ks workload let(ci=12, co=10, n=12) in(x[ci*n]=uniform(-1e-37,1e-37)) in(k[ci*co*3/2]=uniform(-1,1)) in(bias[co]=uniform(-1e-37,1e-37)) out(y[co*(2*n+1)]) grid(ceildiv(2*n+1,64),co) block(64)
__global__ void exact_doubling(const float *x, const float *k, const float *bias, float *y, int ci, int n)
{
    const int groups = 2, stride = 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, co = gridDim.y;
    if (i >= 2 * n + 1)
        return;
    int cig = ci / groups, cog = co / groups, first = o / cog * cig;
    float sum = 0;
    for (int c = first; c < first + cig; c++)
        for (int t = 0; t < 3; t++)
            if (i - t >= 0 && (i - t) % stride == 0 && (i - t) / stride < n)
                sum += x[c * n + (i - t) / stride] * k[(c * cog + o % cog) * 3 + t];
    y[o * (2 * n + 1) + i] = sum + bias[o];
}

// Triangular matrices, of which the other triangle is not looked at.
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(n=136) in(a[n*n]=uniform(-1,1)) in(b[n*n]=uniform(-1,1)) out(c[n*n]) grid(ceildiv(n,16),ceildiv(n,16)) block(16,16)
__global__ void cut_upper(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float sum = 0;
    for (int l = i; l <= j; l++)
        sum += a[i * n + l] * b[l * n + j];
    c[i * n + j] = sum;
}

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(n=136) in(a[n*n]=uniform(-1,1)) in(b[n*n]=uniform(-1,1)) out(c[n*n]) grid(ceildiv(n,16),ceildiv(n,16)) block(16,16)
__global__ void cut_lower(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float sum = 0;
    for (int l = j; l <= i; l++)
        sum += a[i * n + l] * b[l * n + j];
    c[i * n + j] = sum;
}
