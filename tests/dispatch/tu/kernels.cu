#include "kernels.cuh"

/* The unit under test: kernels of every linkage, launched from here and from main.cu. */
#define elements n
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
} extern "C" __global__ void cneg(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = -y[i];
}
#define bad 5 // none of these may reach a variant or the table
#define x4 )
#define ks_unlikely 1
namespace {
template <class T, int B> __global__ void fill(T *y, T v, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n)
        y[i] = v;
}
__global__ void add1(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += 1.f;
}
}
namespace outer {
namespace inner {
static __global__ void sub1(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] -= 1.f;
}
}
__global__ void sum(const float *x, float *out, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    *out = s;
}
}
static __global__ void big(float *y, int n, int kb)
{
    if (kb > 0 && n > 0)
        y[0] = 1.f;
}
static __global__ void odd(float *y, unsigned long long n)
{
    y[n & 1] = 1.f;
}
static __global__ void pair(float *y, Pair p)
{
    y[p.a] = p.b;
}
namespace {
struct Local {
    float step;
};
}
template <class F> static __global__ void apply(float *y, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = f.step;
}
static __global__ void none(float *y)
{
    *y = 0;
}
void launch_internal(float *y, int n, cudaStream_t stream)
{
    fill<float, 256><<<(n + 255) / 256, 256, 0, stream>>>(y, 7.f, n);
    fill<int, 256><<<(n + 255) / 256, 256, 0, stream>>>((int *)y, 7, n);
    add1<<<(n + 255) / 256, 256, 0, stream>>>(y, n);
    outer::inner::sub1<<<(n + 255) / 256, 256, 0, stream>>>(y, n);
}
void launch_big(float *y, int n, int kb)
{
    big<<<1, 32>>>(y, n, kb);
}
void launch_odd(float *y, unsigned long long n)
{
    odd<<<1, 32>>>(y, n);
}
void launch_pair(float *y, Pair p)
{
    pair<<<1, 1>>>(y, p);
}
void launch_lambda(float *y, int n)
{
    Local local = {2.f};
    apply<<<1, 32>>>(y, n, local);
}
void launch_none(float *y)
{
    none<<<1, 1>>>(y);
}
void launch_twice_here(float *y, int n)
{
    head::twice<<<1, 32>>>(y, n);
}
#define a 1
#define b 2
#define n 3
#define r 4
#define host 6
