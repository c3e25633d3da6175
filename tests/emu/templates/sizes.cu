// Windows as applications write them: half as many outputs (h / 2), width, step and padding that are parameters, one plane, and
// largest elements sought from -FLT_MAX, from a number or from the first on.
#include <cfloat>

#pragma ks optimize
#pragma ks workload let(planes=6, h=14, w=20) let(oh=h/2, ow=w/2) in(x[planes*h*w]) out(y[planes*oh*ow]) grid(ceildiv(planes*oh*ow,64)) block(64)
__global__ void halved_from_last(const float *x, float *y, int planes, int h, int w, int oh, int ow)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < planes * oh * ow) {
        const float *plane = x + i / (oh * ow) * h * w;
        float best = -FLT_MAX;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                int v = i / ow % oh * 2 + a - 1, u = i % ow * 2 + b - 1;
                if (v >= 0 && v < h && u >= 0 && u < w)
                    best = fmaxf(best, plane[v * w + u]);
            }
        y[i] = best;
    }
}

#pragma ks optimize
#pragma ks workload let(planes=6, h=14, w=20) in(x[planes*h*w]) out(y[planes*(h/2)*(w/2)]) grid(ceildiv(planes*(h/2)*(w/2),64)) block(64)
__global__ void halved_from_number(const float *x, float *y, int planes, int h, int w)
{
    int oh = h / 2, ow = w / 2, i = blockIdx.x * 64 + threadIdx.x;
    if (i < planes * oh * ow) {
        const float *plane = x + i / (oh * ow) * h * w;
        float best = -1e9f;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                int v = i / ow % oh * 2 + a, u = i % ow * 2 + b;
                if (v >= 0 && v < h && u >= 0 && u < w)
                    best = fmaxf(best, plane[v * w + u]);
            }
        y[i] = best;
    }
}

#pragma ks optimize
#pragma ks workload let(planes=6, h=14, w=20) let(oh=h/2, ow=w/2) in(x[planes*h*w]) out(y[planes*oh*ow]) grid(ceildiv(planes*oh*ow,64)) block(64)
__global__ void halved_from_first(const float *x, float *y, int planes, int h, int w, int oh, int ow)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < planes * oh * ow) {
        const float *plane = x + i / (oh * ow) * h * w;
        float best = plane[i / ow % oh * 2 * w + i % ow * 2];
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                int v = i / ow % oh * 2 + a, u = i % ow * 2 + b;
                if (v >= 0 && v < h && u >= 0 && u < w)
                    best = fmaxf(best, plane[v * w + u]);
            }
        y[i] = best;
    }
}

#pragma ks optimize
#pragma ks workload let(n=2, ci=4, co=8, h=11, w=13) set(k=3) set(step=2) set(pad=1) let(oh=(h+2*pad-k)/step+1, ow=(w+2*pad-k)/step+1) \
    in(x[n*ci*h*w]) in(filter[co*ci*k*k]) out(y[n*co*oh*ow]) grid(ceildiv(ow,8),ceildiv(oh,8),n*co) block(8,8)
__global__ void stepped(const float *x, const float *filter, float *y, int n, int ci, int co, int h, int w, int k, int step, int pad)
{
    int oh = (h + 2 * pad - k) / step + 1, ow = (w + 2 * pad - k) / step + 1;
    int column = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, image = blockIdx.z / co, channel = blockIdx.z % co;
    if (column >= ow || row >= oh || image >= n)
        return;
    float sum = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int a = 0; a < k; a++)
            for (int b = 0; b < k; b++) {
                int v = row * step + a - pad, u = column * step + b - pad;
                if (v >= 0 && v < h && u >= 0 && u < w)
                    sum += x[((image * ci + c) * h + v) * w + u] * filter[((channel * ci + c) * k + a) * k + b];
            }
    y[((image * co + channel) * oh + row) * ow + column] = sum;
}

#pragma ks optimize
#pragma ks workload let(n=2, c=3, h=12, w=18) in(x[n*c*h*w]) in(filter[c*9]) out(y[n*c*(h/2)*(w/2)]) grid(ceildiv(w/2,8),ceildiv(h/2,8),n*c) block(8,8)
__global__ void halved_depthwise(const float *x, const float *filter, float *y, int c, int h, int w)
{
    int column = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, plane = blockIdx.z, ow = w / 2, oh = h / 2;
    if (column >= ow || row >= oh)
        return;
    float sum = 0.0f;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            int v = row * 2 + a - 1, u = column * 2 + b - 1;
            if (v >= 0 && v < h && u >= 0 && u < w)
                sum += x[(plane * h + v) * w + u] * filter[plane % c * 9 + a * 3 + b];
        }
    y[(plane * oh + row) * ow + column] = sum;
}

// One plane and one line, of which no parameter says that they are one.
#pragma ks optimize
#pragma ks workload let(h=21, w=30) set(k=5) in(x[h*w]) in(mask[k*k]) out(y[h*w]) grid(ceildiv(w,16),ceildiv(h,16)) block(16,16)
__global__ void image(const float *x, const float *mask, float *y, int h, int w, int k)
{
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, radius = k / 2;
    if (column >= w || row >= h)
        return;
    float sum = 0.0f;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            int v = row + a - radius, u = column + b - radius;
            if (v >= 0 && v < h && u >= 0 && u < w)
                sum += x[v * w + u] * mask[a * k + b];
        }
    y[row * w + column] = sum;
}

#pragma ks optimize
#pragma ks workload let(n=700) set(k=15) in(x[n]) in(taps[k]) out(y[n-k+1]) grid(ceildiv(n-k+1,128)) block(128)
__global__ void filtered(const float *x, const float *taps, float *y, int n, int k)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n - k + 1)
        return;
    float sum = 0.0f;
    for (int j = 0; j < k; j++)
        sum += x[i + j] * taps[j];
    y[i] = sum;
}

// What a parameter gives a maximum to begin at is no number of the text.
#pragma ks optimize
#pragma ks workload let(planes=6, n=20) set(low=-1e9f) in(x[planes*n]) out(y[planes*(n/2)]) grid(ceildiv(planes*(n/2),64)) block(64)
__global__ void halved_from_parameter(const float *x, float *y, int planes, int n, float low)
{
    int half = n / 2, i = blockIdx.x * 64 + threadIdx.x;
    if (i < planes * half)
        y[i] = fmaxf(fmaxf(low, x[i / half * n + i % half * 2]), x[i / half * n + i % half * 2 + 1]);
}
