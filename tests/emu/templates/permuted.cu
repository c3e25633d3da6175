// Permutations, for templates_rows.sh.
#include <cuda_fp16.h>

// 0213: positions and heads change places.
#pragma ks optimize
#pragma ks workload let(b=2, s=9, h=3, d=16) in(x[b*s*h*d]) out(y[b*s*h*d]) grid(ceildiv(b*s*h*d,64)) block(64)
__global__ void heads_first(const __half *x, __half *y, int b, int s, int h, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b * s * h * d)
        return;
    int k = i % d, head = i / d % h, at = i / (d * h) % s, z = i / (d * h * s);
    y[((z * h + head) * s + at) * d + k] = x[i];
}

// The same but that a head's elements are turned about.
#pragma ks optimize
#pragma ks workload let(b=2, s=9, h=3, d=16) in(x[b*s*h*d]) out(y[b*s*h*d]) grid(ceildiv(b*s*h*d,64)) block(64)
__global__ void heads_turned(const float *x, float *y, int b, int s, int h, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b * s * h * d)
        return;
    int k = i % d, head = i / d % h, at = i / (d * h) % s, z = i / (d * h * s);
    y[((z * h + head) * s + at) * d + (head == 0 ? d - 1 - k : k)] = x[i];
}

// NCHW to NHWC: a transpose of each image's channels and pixels.
#pragma ks optimize
#pragma ks workload let(n=2, c=5, h=4, w=6) in(x[n*c*h*w]) out(y[n*c*h*w]) grid(ceildiv(n*c*h*w,64)) block(64)
__global__ void channels_last(const float *x, float *y, int n, int c, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * c * h * w)
        return;
    int px = i % w, py = i / w % h, channel = i / (w * h) % c, z = i / (w * h * c);
    y[((z * h + py) * w + px) * c + channel] = x[i];
}

#pragma ks optimize
#pragma ks workload let(n=2, c=5, h=4, w=6) in(x[n*c*h*w]) out(y[n*c*h*w]) grid(ceildiv(n*c*h*w,64)) block(64)
__global__ void channels_first(const float *x, float *y, int n, int c, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * c * h * w)
        return;
    int channel = i % c, px = i / c % w, py = i / (c * w) % h, z = i / (c * w * h);
    y[((z * c + channel) * h + py) * w + px] = x[i];
}
