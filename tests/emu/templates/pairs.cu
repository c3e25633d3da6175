// Products with something done to their factors first, for templates_formulas.sh.

__device__ static float swish(float v)
{
    return v / (1.0f + expf(-v));
}

// Each factor through a function, and what follows.
#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(x[m*k]) in(w[n*k]) in(bias[n]) set(scale=0.5) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void activated(const float *x, const float *w, const float *bias, float *y, int m, int n, int k, float scale)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += (swish(x[i * k + l]) + 1.0f) * (w[j * k + l] + scale);
    y[i * n + j] = fmaxf(sum + bias[j], 0.0f);
}

// Squares of distances, of a batch.
#pragma ks optimize
#pragma ks workload let(b=2, m=20, n=36, k=16) in(p[b*m*k]) in(q[b*n*k]) out(d[b*m*n]) grid(ceildiv(n,16),ceildiv(m,16),b) block(16,16)
__global__ void distances(const float *p, const float *q, float *d, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float all = 0;
    for (int l = 0; l < k; l++) {
        float far = p[(blockIdx.z * m + i) * k + l] - q[(blockIdx.z * n + j) * k + l];
        all = fmaf(far, far, all);
    }
    d[(blockIdx.z * m + i) * n + j] = sqrtf(all);
}

// A weight for each step of the depth, in another layout.
#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(x[k*m]) in(g[k]) in(w[k*n]) out(y[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void weighed(const float *x, const float *g, const float *w, float *y, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++) {
        const int at = l * m + i;
        sum += fmaxf(x[at] * g[l], 0.0f) * w[l * n + j];
    }
    y[i * n + j] = sum;
}

// The factor depends on the depth.
#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void by_depth(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += fmaxf(a[i * k + l], 0.0f) * b[l * n + j] * l;
    c[i * n + j] = sum;
}

// Nothing is done to them: the plain product is enough.
#pragma ks optimize
#pragma ks workload let(m=40) let(n=24) let(k=48) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void plain(const float *a, const float *b, float *c, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}
