// Kernels that are captured on a GPU and replayed on the emulated device, bit by bit: types, offsets into
// allocations, aliases, arrays side by side in one, null pointers, shared memory, atomics, structs. One launch each.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define AT int i = blockIdx.x * blockDim.x + threadIdx.x
#define EACH                                                                                          \
    AT;                                                                                           \
    if (i >= n)                                                                                   \
        return;

__global__ void k_copy(float *y, const float *x, int n) { EACH y[i] = x[i]; }
__global__ void k_scale(double *y, const double *x, double a, int n) { EACH y[i] = a * x[i]; }
__global__ void k_add(int *y, const int *x, int n) { EACH y[i] += x[i]; }
__global__ void k_axpy(float *y, const float *x, float a, int n) { EACH y[i] = a * x[i] + y[i]; }
__global__ void k_negate(float *y, const float *x, int n) { EACH y[i] = -x[i]; } // in place
__global__ void k_reverse(float *y, const float *x, int n) { EACH y[n - 1 - i] = x[i]; }
__global__ void k_gather(float *y, const float *x, const int *at, int n) { EACH y[i] = x[at[i]]; }
__global__ void k_scatter(float *y, const float *x, const int *at, int n) { EACH y[at[i]] = x[i]; }
__global__ void k_stencil(float *y, const float *x, int n)
{
    EACH y[i] = i > 0 && i < n - 1 ? 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1] : x[i];
}
__global__ void k_vector(float4 *y, const float4 *x, int n)
{
    EACH float4 v = x[i];
    y[i] = make_float4(v.w, v.z, v.y, v.x);
}
__global__ void k_half(__half *y, const __half *x, int n) { EACH y[i] = __hadd(x[i], x[n - 1 - i]); }
__global__ void k_mask(bool *y, const float *x, float a, int n) { EACH y[i] = x[i] > a; }
__global__ void k_wide(long long *y, const long long *x, long long a, int n) { EACH y[i] = x[i] * a + 7; }
__global__ void k_bytes(unsigned char *y, const unsigned char *x, unsigned char a, int n)
{
    EACH int v = x[i] + a;
    y[i] = (unsigned char)(v > 255 ? 255 : v);
}
__global__ void k_shorts(short *y, const short *x, short a, int n) { EACH y[i] = (short)(x[i] - a); }
__global__ void k_raw(void *y, const void *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        ((unsigned *)y)[i] = ((const unsigned *)x)[i] ^ 0x5a5a5a5au;
}
__global__ void k_maybe(float *y, const float *x, const float *bias, int n) { EACH y[i] = bias ? x[i] + bias[i] : x[i]; }
__global__ void k_two(float *y, float *z, const float *x, int n)
{
    EACH y[i] = x[i] + 1;
    z[i] = x[i] * 2;
}
__global__ void k_stride(float *y, const float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i] * x[i];
}
__global__ void k_plane(float *y, const float *x, int w, int h)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < w && r < h)
        y[c * h + r] = x[r * w + c];
}
__global__ void k_root(float *y, const float *x, int n) { EACH y[i] = sqrtf(fabsf(x[i])); }
__global__ void k_dynamic(float *y, const float *x, int n)
{
    extern __shared__ float part[];
    AT;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
        y[i] = part[blockDim.x - 1 - threadIdx.x];
}
__global__ void k_sums(float *y, const float *x, int n)
{
    __shared__ float part[128];
    AT;
    part[threadIdx.x] = i < n ? x[i] : 0;
    for (int s = 64; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < (unsigned)s)
            part[threadIdx.x] += part[threadIdx.x + s];
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}
__global__ void k_bins(unsigned *y, const unsigned char *x, int n) { EACH atomicAdd(&y[x[i] & 31], 1u); }
__global__ void k_most(int *y, const int *x, int n) { EACH atomicMax(y, x[i]); }
__global__ void k_fma(double *y, const double *x, const double *z, int n) { EACH y[i] = fma(x[i], z[i], y[i]); }
__global__ void k_pairs(uint2 *y, const uint2 *x, int n) { EACH y[i] = make_uint2(x[i].y, x[i].x + 1); }
// By value: members that are known, a template's and a union's that are not, a number among them that is an address.
struct span {
    const float *at;
    int n;
    struct {
        short lanes;
        float *to;
    } out;
    double a;
};
__global__ void k_span(span s) { AT; if (i < s.n) s.out.to[i] += (float)(s.a * s.at[i]); }
struct span2 {
    const float *at;
    int n;
    float *to, *again; // the same
};
__global__ void k_span2(span2 s, float a) { AT; if (i < s.n) s.to[i] = a * s.at[i] + s.again[i]; }
template <class T> struct view {
    T *at;
    long n;
    union {
        const T *from;
        long number;
    };
};
template <class T> __global__ void k_view(view<T> v, T a) { AT; if (i < v.n) v.at[i] = v.from[i] * a; }

template <class T> static T *up(const void *host, size_t bytes)
{
    T *at = nullptr;
    if (cudaMalloc(&at, bytes) != cudaSuccess || cudaMemcpy(at, host, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        exit(90);
    return at;
}

int main()
{
    const int n = 20000, blocks = (n + 127) / 128;
    static float f[2 * 20000];
    static double d[20000];
    static int at[20000];
    static __half h[20000];
    for (int i = 0; i < 2 * n; i++)
        f[i] = (float)((i * 37) % 1009) * 0.37f - 150;
    for (int i = 0; i < n; i++) {
        d[i] = (double)((i * 91) % 4001) / 7 - 200;
        at[i] = (int)((i * 7919LL) % n); // each once
        h[i] = __float2half((float)((i % 301) - 150) * 0.125f);
    }
    float *x = up<float>(f, sizeof f) + 64, *pool = up<float>(f, sizeof f), *y = pool + 32, *z = pool + n + 64;
    double *dx = up<double>(d, sizeof d), *dy = up<double>(d, sizeof d);
    int *ix = up<int>(at, sizeof at), *iy = up<int>(at, sizeof at);
    __half *hx = up<__half>(h, sizeof h), *hy = up<__half>(h, sizeof h);
    unsigned char *out = up<unsigned char>(f, sizeof f);
    int m = n - 200; // so that what begins inside an allocation ends in it
    k_copy<<<blocks, 128>>>(y, x, m);
    k_scale<<<blocks, 128>>>(dy, dx, 1.0 / 3, n);
    k_add<<<blocks, 128>>>(iy, ix, n);
    k_axpy<<<blocks, 128>>>(y, x, 0.7f, m);
    k_negate<<<blocks, 128>>>(y, y, m);
    k_reverse<<<blocks, 128>>>(z, x, m);
    k_gather<<<blocks, 128>>>(y, x, ix, n / 2);
    k_scatter<<<blocks, 128>>>((float *)out, x, ix, n);
    k_stencil<<<blocks, 128>>>(y, x, m);
    k_vector<<<blocks, 128>>>((float4 *)y, (float4 *)x, m / 4);
    k_half<<<blocks, 128>>>(hy, hx, n);
    k_mask<<<blocks, 128>>>((bool *)out, x, 3.f, n);
    k_wide<<<blocks, 128>>>((long long *)out, (long long *)dx, 12345678901LL, n);
    k_bytes<<<blocks, 128>>>(out, (unsigned char *)x, 100, n);
    k_shorts<<<blocks, 128>>>((short *)out, (short *)ix, 300, n);
    k_raw<<<blocks, 128>>>(out + 16, x, (size_t)m);
    k_maybe<<<blocks, 128>>>(y, x, nullptr, m);
    k_two<<<blocks, 128>>>(y, z, x, m);
    k_stride<<<16, 128>>>(y, x, m);
    k_plane<<<dim3(5, 13), dim3(32, 8)>>>(y, x, 150, 100);
    k_root<<<blocks, 128>>>(y, x, m);
    k_dynamic<<<blocks, 128, 512>>>(y, x, m);
    k_sums<<<blocks, 128>>>(z, x, m);
    k_bins<<<blocks, 128>>>((unsigned *)out, (unsigned char *)x, n);
    k_most<<<blocks, 128>>>(iy, ix, n);
    k_fma<<<blocks, 128>>>(dy, dx, dx, n);
    k_pairs<<<blocks, 128>>>((uint2 *)out, (uint2 *)dx, n);
    span s = {x, m, {7, y}, 1.0 / 3};
    k_span<<<blocks, 128>>>(s);
    span2 s2 = {x, m, y, y};
    k_span2<<<blocks, 128>>>(s2, 0.3f);
    view<double> v = {dy, n, {dx}};
    k_view<double><<<blocks, 128>>>(v, 1.0 / 7);
    return cudaDeviceSynchronize() != cudaSuccess;
}
