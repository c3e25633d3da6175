#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

namespace ns {
namespace in {
template <class T, int B = 256, bool F = true>
__global__ void relax(const T *__restrict__ a, T *b, size_t m)
{
    b[m] = F ? a[0] + T(B) : a[1];
}
struct P {
    float x;
    double y;
};
__global__ void by_value(P p, float4 *q, float3 r)
{
    q->x = float(p.y) + r.x;
}
} // namespace in
} // namespace ns

namespace {
__global__ void anon(int *x)
{
    *x = 1;
}
} // namespace

typedef float real;
enum E { X, Y };
__device__ float twice(float x)
{
    return x + x;
}
template <class T> struct S {
    T t;
    struct In {
        int z;
    };
};

extern "C" __global__ void c_linkage(uint8_t *a, int64_t n, half h, const real *__restrict__ z,
                                     float (&arr)[4], float par[16], void (*fp)(int, float))
{
    a[n] = (uint8_t)(float(h) + z[0] + arr[0] + par[0]);
    fp(1, 2.f);
}
extern "C" __global__ void c_empty()
{
}
static __global__ void internal(unsigned long long a, long b, __nv_bfloat16 *p, char c,
                                signed char d, bool e)
{
    p[a + b] = __float2bfloat16(float(c + d + e));
}
__global__ void typedefs(real *a, const real b)
{
    a[0] = b;
}
template <E e, char c>
__global__ void enums(uint32_t *p, const __half2 *h, volatile int *v, float **pp,
                      const float *const *q)
{
    p[e + c] = *v + int(pp[0][0] + q[0][0] + float(h->x));
}
template <float (*F)(float)> __global__ void function_argument(float *p)
{
    *p = F(*p);
}
template <class T> __global__ void lambda_argument(T f, int n)
{
    f(n);
}
template <typename... A> __global__ void pack(A... a)
{
}
template <class T> __global__ void dependent(S<T> s, typename S<T>::In i, S<T> *p)
{
    p->t = s.t + T(i.z);
}
__global__ void __launch_bounds__(256, 2) bounds(const __grid_constant__ ns::in::P p, float *o)
{
    *o = p.x;
}

void run()
{
    ns::in::relax<float><<<1, 1>>>(nullptr, nullptr, 0);
    ns::in::relax<double, 128, false><<<1, 1>>>(nullptr, nullptr, 0);
    ns::in::by_value<<<1, 1>>>({}, nullptr, {});
    anon<<<1, 1>>>(nullptr);
    internal<<<1, 1>>>(0, 0, nullptr, 0, 0, false);
    enums<Y, 'a'><<<1, 1>>>(nullptr, nullptr, nullptr, nullptr, nullptr);
    function_argument<twice><<<1, 1>>>(nullptr);
    int *k = nullptr;
    lambda_argument<<<1, 1>>>([=] __device__(int i) { k[i] = i; }, 3);
    lambda_argument<<<1, 1>>>([=] __device__(int i) { k[i] = -i; }, 3);
    pack<<<1, 1>>>(1, 2.f, 3.0);
    pack<<<1, 1>>>();
    dependent<<<1, 1>>>(S<float>{}, S<float>::In{}, (S<float> *)nullptr);
}
