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
