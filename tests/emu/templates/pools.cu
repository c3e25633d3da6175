// Poolings, each in a few lengths of a line: whole packs and odd ones, more than a block makes at once.
#include <math.h>

enum { MAX, MEAN, MEAN_INSIDE };

__device__ int lower(int first, int step)
{
    return first < 0 ? (step - 1 - first) / step : 0;
}

// One output from `x`, where its volume begins.
__device__ float pooled(const float *x, int form, int d, int h, int w, int z, int y, int c, int kd, int kh, int kw, int dd, int dh, int dw)
{
    float best = form == MAX ? -INFINITY : 0;
    int n = 0;
    for (int i = lower(z, dd); i < kd && z + i * dd < d; i++)
        for (int j = lower(y, dh); j < kh && y + j * dh < h; j++)
            for (int k = lower(c, dw); k < kw && c + k * dw < w; k++, n++) {
                float v = x[((z + i * dd) * h + y + j * dh) * w + c + k * dw];
                best = form == MAX ? fmaxf(best, v) : best + v;
            }
    return form == MAX ? best : best / (form == MEAN ? kd * kh * kw : n);
}

#pragma ks optimize
#pragma ks workload let(planes=2, n=2500, m=(n-1)/2+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
#pragma ks workload let(planes=2, n=333, m=(n-1)/2+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
__global__ void line_apart(const float *x, float *y, int planes, int n, int m)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < m)
        y[blockIdx.y * m + i] = pooled(x + blockIdx.y * n, MAX, 1, 1, n, 0, 0, i * 2 - 2, 1, 1, 3, 1, 1, 2);
}

#pragma ks optimize
#pragma ks workload let(planes=2, n=3100, m=(n+0)/1+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
#pragma ks workload let(planes=1, n=1025, m=(n+0)/1+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
__global__ void line_mean(const float *x, float *y, int planes, int n, int m)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < m)
        y[blockIdx.y * m + i] = pooled(x + blockIdx.y * n, MEAN, 1, 1, n, 0, 0, i * 1 - 4, 1, 1, 8, 1, 1, 1);
}

#pragma ks optimize
#pragma ks workload let(planes=3, n=400, m=(n-1)/3+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
#pragma ks workload let(planes=2, n=3331, m=(n-1)/3+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
__global__ void line_inside(const float *x, float *y, int planes, int n, int m)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < m)
        y[blockIdx.y * m + i] = pooled(x + blockIdx.y * n, MEAN_INSIDE, 1, 1, n, 0, 0, i * 3 - 2, 1, 1, 5, 1, 1, 1);
}

#pragma ks optimize
#pragma ks workload let(planes=1, n=11500, m=(n-12)/12+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
#pragma ks workload let(planes=2, n=121, m=(n-12)/12+1) in(x[planes*n]=uniform(-1,1)) out(y[planes*m]) grid(ceildiv(m,64),planes) block(64)
__global__ void line_far(const float *x, float *y, int planes, int n, int m)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < m)
        y[blockIdx.y * m + i] = pooled(x + blockIdx.y * n, MAX, 1, 1, n, 0, 0, i * 12 - 0, 1, 1, 12, 1, 1, 1);
}

#pragma ks optimize
#pragma ks workload let(planes=2, d=13, h=7, w=12) let(od=(d-3)/2+1, oh=(h-3)/2+1, ow=(w-3)/2+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
#pragma ks workload let(planes=1, d=9, h=5, w=11) let(od=(d-3)/2+1, oh=(h-3)/2+1, ow=(w-3)/2+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
__global__ void volume_apart(const float *x, float *y, int planes, int d, int h, int w, int od, int oh, int ow)
{
    int i = blockIdx.x * 64 + threadIdx.x, c = i % ow, r = i / ow % oh, z = i / (ow * oh);
    if (z < od)
        y[blockIdx.y * od * oh * ow + i] = pooled(x + blockIdx.y * d * h * w, MAX, d, h, w, z * 2 - 1, r * 2 - 1, c * 2 - 1, 3, 3, 3, 2, 2, 2);
}

#pragma ks optimize
#pragma ks workload let(planes=1, d=3, h=35, w=8) let(od=(d-2)/1+1, oh=(h-1)/1+1, ow=(w+0)/1+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
#pragma ks workload let(planes=2, d=4, h=3, w=13) let(od=(d-2)/1+1, oh=(h-1)/1+1, ow=(w+0)/1+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
__global__ void volume_mean(const float *x, float *y, int planes, int d, int h, int w, int od, int oh, int ow)
{
    int i = blockIdx.x * 64 + threadIdx.x, c = i % ow, r = i / ow % oh, z = i / (ow * oh);
    if (z < od)
        y[blockIdx.y * od * oh * ow + i] = pooled(x + blockIdx.y * d * h * w, MEAN, d, h, w, z * 1 - 0, r * 1 - 1, c * 1 - 2, 2, 3, 4, 1, 1, 1);
}

#pragma ks optimize
#pragma ks workload let(planes=1, d=3, h=2, w=144) let(od=(d-1)/1+1, oh=(h-1)/2+1, ow=(w-1)/1+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
#pragma ks workload let(planes=1, d=2, h=3, w=131) let(od=(d-1)/1+1, oh=(h-1)/2+1, ow=(w-1)/1+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
__global__ void volume_inside(const float *x, float *y, int planes, int d, int h, int w, int od, int oh, int ow)
{
    int i = blockIdx.x * 64 + threadIdx.x, c = i % ow, r = i / ow % oh, z = i / (ow * oh);
    if (z < od)
        y[blockIdx.y * od * oh * ow + i] = pooled(x + blockIdx.y * d * h * w, MEAN_INSIDE, d, h, w, z * 1 - 1, r * 2 - 1, c * 1 - 1, 3, 3, 3, 1, 1, 1);
}

#pragma ks optimize
#pragma ks workload let(planes=2, d=10, h=3, w=8) let(od=(d-1)/2+1, oh=(h-2)/1+1, ow=(w-2)/2+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
#pragma ks workload let(planes=1, d=9, h=2, w=5) let(od=(d-1)/2+1, oh=(h-2)/1+1, ow=(w-2)/2+1) in(x[planes*d*h*w]=uniform(-1,1)) \
    out(y[planes*od*oh*ow]) grid(ceildiv(od*oh*ow,64),planes) block(64)
__global__ void volume_deep(const float *x, float *y, int planes, int d, int h, int w, int od, int oh, int ow)
{
    int i = blockIdx.x * 64 + threadIdx.x, c = i % ow, r = i / ow % oh, z = i / (ow * oh);
    if (z < od)
        y[blockIdx.y * od * oh * ow + i] = pooled(x + blockIdx.y * d * h * w, MAX, d, h, w, z * 2 - 16, r * 1 - 0, c * 2 - 0, 9, 2, 2, 4, 1, 1);
}
