// Kernels as one first writes them, for skills that no kernel of ../search is of: templates first, then transforms.
#include <cuda_bf16.h>

#pragma ks optimize
#pragma ks workload let(b=64) let(t=1024) let(h=16) let(d=64) in(x[b*t*h*d]) out(y[b*t*h*d]) grid(ceildiv(b*t*h*d,256)) block(256)
__global__ void heads_first(const float *x, float *y, int b, int t, int h, int d)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= b * t * h * d)
        return;
    int c = i % d, head = i / d % h, at = i / (d * h) % t, image = i / (d * h * t);
    y[((image * h + head) * t + at) * d + c] = x[i];
}
#pragma ks optimize
#pragma ks workload let(m=2048) let(n=2048) let(k=2048) in(a[m*k]) in(b[k*n]) inout(c[m*n]) set(alpha=1.5f) set(beta=0.5f) \
    grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void product_added(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(m=2048) let(n=2048) let(k=2048) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void product_coarse(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
#pragma ks optimize
#pragma ks workload let(m=4096) let(n=4096) let(k=4096) in(a[m*k]) in(b[n*k]) out(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void product_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += __bfloat162float(a[row * k + i]) * __bfloat162float(b[col * k + i]);
    c[row * n + col] = __float2bfloat16(sum);
}
#pragma ks optimize
#pragma ks workload let(rows=32768) let(n=2048) in(x[rows*n]) out(place[rows]) grid(ceildiv(rows,256)) block(256)
__global__ void largest_at(const float *x, int *place, int rows, int n)
{
    int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows)
        return;
    float best = x[(size_t)row * n];
    int at = 0;
    for (int i = 1; i < n; i++)
        if (x[(size_t)row * n + i] > best) {
            best = x[(size_t)row * n + i];
            at = i;
        }
    place[row] = at;
}
#pragma ks optimize
#pragma ks workload let(rows=32768) let(n=1024) in(anchor[rows*n]) in(near[rows*n]) in(far[rows*n]) out(loss[rows]) grid(ceildiv(rows,256)) block(256)
__global__ void triplet(const float *anchor, const float *near, const float *far, float *loss, int rows, int n)
{
    int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows)
        return;
    float one = 0, two = 0;
    for (int i = 0; i < n; i++) {
        float p = anchor[(size_t)row * n + i] - near[(size_t)row * n + i] + 1e-6f;
        float q = anchor[(size_t)row * n + i] - far[(size_t)row * n + i] + 1e-6f;
        one += p * p;
        two += q * q;
    }
    loss[row] = fmaxf(sqrtf(one) - sqrtf(two) + 1.0f, 0.0f);
}
#pragma ks optimize
#pragma ks workload let(heads=64) let(n=1024) in(q[heads*n*64]) in(k[heads*n*64]) in(v[heads*n*64]) out(o[heads*n*64]) \
    grid(ceildiv(n,128),heads) block(128)
__global__ void attend(const float *q, const float *k, const float *v, float *o, int n)
{
    int row = blockIdx.x * 128 + threadIdx.x;
    if (row >= n)
        return;
    size_t base = (size_t)blockIdx.y * n * 64;
    float own[64], sum[64] = {}, most = -INFINITY, all = 0;
    for (int c = 0; c < 64; c++)
        own[c] = q[base + row * 64 + c];
    for (int i = 0; i < n; i++) {
        float score = 0;
        for (int c = 0; c < 64; c++)
            score += own[c] * k[base + i * 64 + c];
        score *= 0.125f;
        float larger = fmaxf(most, score), by = expf(most - larger), p = expf(score - larger);
        all = all * by + p;
        for (int c = 0; c < 64; c++)
            sum[c] = sum[c] * by + p * v[base + i * 64 + c];
        most = larger;
    }
    for (int c = 0; c < 64; c++)
        o[base + row * 64 + c] = sum[c] / all;
}
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(batch=16) let(ci=64) let(co=128) let(h=64) let(w=64) in(x[batch*ci*h*w]) in(weight[co*ci*9]) \
    out(y[batch*co*(h-2)*(w-2)]) grid(ceildiv(w-2,16),ceildiv(h-2,16),batch*co) block(16,16)
__global__ void convolution_coarse(const float *x, const float *weight, float *y, int ci, int co, int h, int w)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    int out = blockIdx.z % co, image = blockIdx.z / co;
    if (row >= h - 2 || col >= w - 2)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                sum += x[((image * ci + c) * h + row + i) * w + col + j] * weight[((out * ci + c) * 3 + i) * 3 + j];
    y[(blockIdx.z * (h - 2) + row) * (w - 2) + col] = sum;
}
#pragma ks optimize
#pragma ks workload let(n=1<<25) in(x[n]) inout(total[1]=constant(0)) grid(ceildiv(n,256)) block(256)
__global__ void sum_by_atomics(const float *x, float *total, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        atomicAdd(total, x[i]);
}
#pragma ks optimize
#pragma ks workload let(n=65536) let(steps=64) in(x[n*steps]) in(decay[n]) inout(y[n*steps]) grid(ceildiv(n,128)) block(128)
__global__ void decayed(const float *x, const float *decay, float *y, int n, int steps)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    for (int s = 0; s < steps; s++)
        y[s * n + i] += x[s * n + i] * expf(-decay[i]);
}
#pragma ks optimize
#pragma ks workload let(m=1024) let(n=1024) let(k=1024) in(a[m*k]) in(b[k*n]) inout(c[m*n]) grid(ceildiv(n,16),ceildiv(m,16)) block(16,16)
__global__ void summed_in_memory(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n)
        return;
    for (int i = 0; i < k; i++)
        c[row * n + col] += fabsf(a[row * k + i] - b[i * n + col]);
}
#pragma ks optimize
#pragma ks workload let(n=1<<24) in(x[n]=uniform(-1,1)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void by_sides(const float *x, float *y, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], r;
    if (v > 0.0f)
        r = v * (1.0f + v * (0.5f + v * (0.166f + v * 0.0416f)));
    else
        r = v * (1.0f - v * (0.5f - v * 0.333f));
    y[i] = r;
}
#pragma ks optimize
#pragma ks workload let(n=8192) in(a[n*n]) out(b[n*n]) grid(n/32,n/32) block(32,8)
__global__ void turned_with_sine(const float *a, float *b, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        b[(y + j) * n + x] = sinf(tile[threadIdx.x][threadIdx.y + j]);
}
