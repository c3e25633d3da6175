// Arithmetic, branches and calls as people spell them: intrinsics, inline PTX, packed types. Each kernel takes numbers
// and gives numbers; what must come out is in test_emu_spelt.c.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <assert.h>
#include <stdio.h>
#define K extern "C" __global__ void

K half_math(const int *in, int *out)
{
    __half2 x = __floats2half2_rn(in[threadIdx.x], in[threadIdx.x + 1]), y = __float2half2_rn(0.25f);
    __half2 z = __hmax2(__hfma2_relu(x, y, __float2half2_rn(-3.0f)), y);
    z = __hadd2_sat(z, __hneg2(y));
    unsigned b = __hbgt2(x, y), e = __heq2_mask(x, x) & 0x00010002;
    out[threadIdx.x] = (int)(__low2float(z) * 8) + (int)(__high2float(z) * 800) + (int)(b * 100000) + (int)(e % 1000) * 1000000;
}
K brain_math(const int *in, int *out)
{
    __nv_bfloat162 x = __floats2bfloat162_rn(in[threadIdx.x], 2.0f);
    __nv_bfloat162 z = __hfma2(x, __float2bfloat162_rn(2.0f), __float2bfloat162_rn(1.0f));
    z = __hmin2(z, __float2bfloat162_rn(64.0f));
    out[threadIdx.x] = (int)__low2float(z) + 1000 * (int)__high2float(z) + (__hgt(__low2bfloat16(x), __float2bfloat16(3.0f)) ? 1000000 : 0);
}
K three_ways(const int *in, int *out)
{
    int a = in[threadIdx.x], b = in[threadIdx.x + 1], c = in[threadIdx.x + 2];
    float f;
#if __CUDA_ARCH__ >= 1000
    asm("min.f32 %0, %1, %2, %3;" : "=f"(f) : "f"((float)a), "f"((float)b), "f"((float)c));
    float g;
    asm("max.NaN.f32 %0, %1, %2, %3;" : "=f"(g) : "f"((float)a), "f"(__int_as_float(0x7fc00000)), "f"((float)c));
    float h;
    asm("max.ftz.xorsign.abs.f32 %0, %1, %2;" : "=f"(h) : "f"((float)-a), "f"((float)b));
    f += isnan(g) ? 0 : 7, f += h <= 0 || a == 0 ? 0 : 7;
#else
    f = fminf(fminf((float)a, (float)b), (float)c);
#endif
    out[threadIdx.x] = (int)f + 1000 * __vimin3_s32(a, b, c) + 100000 * (__vimax3_s32_relu(30 - a, 30 - b, 30 - c) + __vimax3_u32(a, b, c) % 10);
}
K pairs_of_floats(const int *in, int *out)
{
#if __CUDA_ARCH__ >= 1000
    float2 r = __ffma2_rn(make_float2(in[threadIdx.x], 2.0f), make_float2(3.0f, 5.0f), make_float2(1.0f, -1.0f));
    r = __fadd2_rn(r, __fmul2_rn(r, make_float2(1.0f, 2.0f)));
#else
    float2 r = make_float2(in[threadIdx.x] * 6.0f + 2.0f, 27.0f);
#endif
    out[threadIdx.x] = (int)r.x + 10000 * (int)r.y;
}
K tensor_floats(const int *in, int *out)
{
    float x = 1.0f + in[threadIdx.x] * 0x1p-13f;
    unsigned a, b;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a) : "f"(x));
#if __CUDA_ARCH__ >= 900
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(b) : "f"(x));
#else
    b = (__float_as_uint(x) + 0xfff + (__float_as_uint(x) >> 13 & 1)) & ~0x1fffu;
#endif
    out[threadIdx.x] = (a >> 13 & 0x3ff) + 1000 * (b >> 13 & 0x3ff);
}
K dots(const int *in, int *out)
{
    unsigned a = in[threadIdx.x] * 0x01010101u, b = 0x80ff0102u;
    int d, e;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(5));
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(e) : "r"(a), "r"(b), "r"(-7));
    out[threadIdx.x] = d + e;
}
K logic_asm(const int *in, int *out)
{
    unsigned a = in[threadIdx.x], r, s, t;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(a), "r"(0x55u), "r"(0x0fu));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(s) : "r"(0x44332211u), "r"(0x88776655u), "r"(a & 1));
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(t) : "r"(a), "r"(3u), "r"(40u));
    out[threadIdx.x] = r + (s & 0xffff) + t * 3;
}
K switches(const int *in, int *out) // a table of branches, lanes apart
{
    int x = in[threadIdx.x] % 9, r;
    switch (x) {
    case 0: r = in[1] + 5; break;
    case 1: r = in[2] * 3; break;
    case 2: r = in[3] - 7; break;
    case 3: r = in[4] ^ 1; break;
    case 4: r = in[5] / 3; break;
    case 5: r = in[6] & 6; break;
    case 6: r = in[7] | 9; break;
    case 7: r = in[8] << 2; break;
    default: r = -1;
    }
    out[threadIdx.x] = r;
}
static __device__ __noinline__ int twice(int x)
{
    return x < 50 ? x * 2 : x - twice(x / 2);
}
K calls(const int *in, int *out)
{
    out[threadIdx.x] = twice(in[threadIdx.x]);
}
K goes_about(const int *in, int *out) // loops left by goto
{
    int x = in[threadIdx.x], n = 0;
again:
    for (int i = 0; i < 10; i++) {
        if (x == 1)
            goto done;
        if (++n > 100)
            goto done;
        x = x & 1 ? 3 * x + 1 : x / 2;
        if (x % 7 == 3)
            goto again;
    }
    goto again;
done:
    out[threadIdx.x] = n;
}
K asserted(const int *in, int *out)
{
    assert(in[threadIdx.x] >= 0);
    if (in[threadIdx.x] < 0)
        printf("never\n");
    out[threadIdx.x] = in[threadIdx.x];
}
K local_arrays(const int *in, int *out)
{
    int a[32];
    for (int i = 0; i < 32; i++)
        a[i] = in[i];
    for (int i = 1; i < 32; i++)
        for (int k = i; k > 0 && a[k - 1] > a[k]; k--) {
            int t = a[k];
            a[k] = a[k - 1];
            a[k - 1] = t;
        }
    out[threadIdx.x] = a[threadIdx.x % 32] + a[31 - threadIdx.x % 32] * 1000;
}
K doubles(const int *in, int *out)
{
    double x = in[threadIdx.x];
    out[threadIdx.x] = (int)(sqrt(x * x) + rint(x / 3) * 1000 + (x > 50 ? fma(x, 2.0, 1.0) : __longlong_as_double(__double_as_longlong(x))) * 100000);
}
K packed_bytes(const int *in, int *out)
{
    unsigned a = in[threadIdx.x] * 0x01030507u, b = in[threadIdx.x + 1] * 0x02040608u;
    out[threadIdx.x] = __vadd4(a, b) ^ __vcmpgtu4(a, b) ^ __vabsdiffu2(a, b) ^ __vmaxs2(a, b);
}
K store_matrix(const int *in, int *out)
{
    __shared__ __align__(16) unsigned short t[64];
    unsigned r = (unsigned)in[threadIdx.x * 2] | (unsigned)in[threadIdx.x * 2 + 1] << 16;
#if __CUDA_ARCH__ >= 900
    unsigned at = (unsigned)__cvta_generic_to_shared(t + threadIdx.x % 8 * 8);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(r) : "memory");
#else
    for (int h = 0; h < 2; h++)
        t[(threadIdx.x % 4 * 2 + h) * 8 + threadIdx.x / 4] = (unsigned short)(r >> 16 * h);
#endif
    __syncwarp();
    out[threadIdx.x] = t[threadIdx.x] + 1000 * t[threadIdx.x + 32];
}
K move_matrix(const int *in, int *out)
{
    unsigned r = (unsigned)in[threadIdx.x * 2] | (unsigned)in[threadIdx.x * 2 + 1] << 16, s;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(s) : "r"(r));
    out[threadIdx.x] = (int)((s & 0xffff) + 1000 * (s >> 16));
}
