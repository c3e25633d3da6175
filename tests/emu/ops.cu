// The device side of ops.def.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define DEVICE static __device__
#include "ops_shared.h"

static __device__ __noinline__ int recursive(int n, int b)
{
    if (n <= 1)
        return b;
    return (int)((unsigned)recursive(n - 1, b) * 3u + (unsigned)recursive(n - 2, (int)((unsigned)b + 1u)));
}
static __constant__ const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static __device__ int table_of(int a)
{
    return primes[a & 7];
}
static __device__ unsigned float_as_u(float x)
{
    return __float_as_uint(x);
}
template <class T> static __device__ T small(T x)
{
    return fabs(x) < (T)100 ? x : (T)0.5;
}
static __device__ float finite(float x)
{
    return fabsf(x) < 3e38f ? x : 1.0f;
}
static __device__ __half h(unsigned short x)
{
    return __ushort_as_half(x);
}
static __device__ unsigned short H(__half x)
{
    return __half_as_ushort(x);
}
static __device__ __half2 h2(unsigned x)
{
    return __halves2half2(h((unsigned short)x), h((unsigned short)(x >> 16)));
}
static __device__ unsigned H2(__half2 x)
{
    return H(__low2half(x)) | (unsigned)H(__high2half(x)) << 16;
}
static __device__ __nv_bfloat16 bf(unsigned short x)
{
    return __ushort_as_bfloat16(x);
}
static __device__ unsigned asm_registers(unsigned a, unsigned b)
{
    unsigned d;
    asm("{.reg.b32 t;\n shl.b32 t, %1, 1;\n add.u32 %0, t, %2;\n}" : "=r"(d) : "r"(a), "r"(b));
    return d;
}
static __device__ unsigned asm_set_f16(unsigned a)
{
    unsigned short d, zero = 0;
    asm("set.eq.f16.f16 %0, %1, %2;" : "=h"(d) : "h"((unsigned short)a), "h"(zero));
    return d;
}
// One instruction of three operands, as it is spelt.
#define ASM3(name, R, r, T, t, text)                                                              \
    static __device__ R asm_##name(T a, T b, T c)                                                 \
    {                                                                                             \
        R d;                                                                                      \
        asm(text : "=" r(d) : t(a), t(b), t(c));                                                  \
        return d;                                                                                 \
    }
ASM3(bfe_u32, unsigned, "r", unsigned, "r", "bfe.u32 %0, %1, %2, %3;")
ASM3(bfe_s32, int, "r", int, "r", "bfe.s32 %0, %1, %2, %3;")
ASM3(bmsk, unsigned, "r", unsigned, "r", "{ .reg .b32 u; mov.b32 u, %3; bmsk.clamp.b32 %0, %1, %2; }")
ASM3(szext, int, "r", int, "r", "{ .reg .b32 u; mov.b32 u, %3; szext.clamp.s32 %0, %1, %2; }")
ASM3(mul24, unsigned, "r", unsigned, "r", "{ .reg .b32 u; mov.b32 u, %3; mul24.lo.u32 %0, %1, %2; }")
ASM3(mad24, unsigned, "r", unsigned, "r", "mad24.lo.u32 %0, %1, %2, %3;")
ASM3(lop3, unsigned, "r", unsigned, "r", "lop3.b32 %0, %1, %2, %3, 0x96;")
ASM3(slct, int, "r", int, "r", "slct.s32.s32 %0, %1, %2, %3;")
ASM3(switch, unsigned, "r", unsigned, "r",
     "{ .reg .b32 i; and.b32 i, %1, 3; ts: .branchtargets t0, t1, t2, t3; brx.idx i, ts;\n"
     "t0: mov.b32 %0, %2; bra.uni te; t1: mov.b32 %0, %3; bra.uni te;\n"
     "t2: add.u32 %0, %2, %3; bra.uni te; t3: xor.b32 %0, %2, %3; te: }")
static __device__ unsigned asm_testp(float a)
{
    unsigned d;
    asm("{ .reg .pred p, q; testp.infinite.f32 p, %1; testp.subnormal.f32 q, %1;\n"
        "selp.u32 %0, 2, 0, q; @p mov.u32 %0, 1; }" : "=r"(d) : "f"(a));
    return d;
}
#define ASM1F(name, text)                                                                         \
    static __device__ float asm_##name(float a)                                                   \
    {                                                                                             \
        float d;                                                                                  \
        asm(text : "=f"(d) : "f"(a));                                                             \
        return d;                                                                                 \
    }
ASM1F(tanh, "tanh.approx.f32 %0, %1;")
ASM1F(lg2, "lg2.approx.f32 %0, %1;")
static __device__ unsigned asm_space(unsigned a)
{
    __shared__ unsigned here[1];
    unsigned d = a, *other = (a & 1) != 0 ? here : &d;
    unsigned long long at = (unsigned long long)other;
    asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "l"(at));
    return d;
}
static __device__ unsigned asm_set_f32(float a, float b)
{
    unsigned d;
    asm("set.lt.u32.f32 %0, %1, %2;" : "=r"(d) : "f"(a), "f"(b));
    return d;
}
static __device__ unsigned short B(__nv_bfloat16 x)
{
    return __bfloat16_as_ushort(x);
}

#define EXACT(name, R, T, device, host)                                                           \
    extern "C" __global__ void k_##name(const T *pa, const T *pb, const T *pc, R *out, int n)     \
    {                                                                                             \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                            \
        if (i < n) {                                                                              \
            T a = pa[i], b = pb[i], c = pc[i];                                                    \
            (void)b;                                                                              \
            (void)c;                                                                              \
            out[i] = (R)(device);                                                                 \
        }                                                                                         \
    }
#define NEAR(name, R, T, device, host, ulps) EXACT(name, R, T, device, host)
#include "ops.def"
