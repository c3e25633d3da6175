// Products of a warpgroup, for test_emu_wgmma: 64 x 32 by 32 x 8, operands in either order, in 128-byte lines with their
// packs swizzled, or A in registers; and what must not run to its end.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define K extern "C" __global__ void

// Where element d (of 32) of line x lies in a tile, in halves.
template <bool turned> static __device__ int place(int x, int d)
{
    const int line = turned ? d : x, at = turned ? x : d;
    return line * 64 + (at / 8 ^ line % 8) * 8 + at % 8;
}
template <bool turned> static __device__ unsigned long long described(const void *tile, int d, int swizzle)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(tile) + (turned ? d * 128 : d * 2);
    return (unsigned long long)swizzle << 62 | 1024ull / 16 << 32 | 8192ull / 16 << 16 | (at & 0x3FFFF) / 16;
}

#define PRODUCT(type)                                                                              \
    asm volatile("{.reg .pred p;\n"                                                                \
                 "setp.ne.s32 p, %6, 0;\n"                                                         \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32." type "." type                        \
                 " {%0, %1, %2, %3}, %4, %5, p, 1, -1, %7, %8;}"                                   \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                  \
                 : "l"(described<ta>(as, d, swizzle)), "l"(described<tb>(bs, d, swizzle)), "r"(d), "n"(ta), "n"(tb))

static __device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
static __device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }
#define WAIT_ALL                                                                                   \
    asm volatile("wgmma.wait_group.sync.aligned 0;"                                                \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                  \
                 :                                                                                 \
                 : "memory")

// The first product does not add; factors of B are taken negative.
template <bool bf16, bool ta, bool tb, class T>
static __device__ void product(const int *in, int *out, T *as, T *bs, int swizzle, bool spoil)
{
    const int t = threadIdx.x;
    float c[4] = {1e6f, 1e6f, 1e6f, 1e6f};
    for (int i = t; i < 64 * 32; i += 128)
        as[place<ta>(i / 32, i % 32)] = T((float)in[i]);
    for (int i = t; i < 32 * 8; i += 128)
        bs[place<tb>(i % 8, i / 8)] = T((float)in[2048 + i]);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
    fence();
    for (int d = 0; d < 32; d += 16) {
        if (bf16)
            PRODUCT("bf16");
        else
            PRODUCT("f16");
        commit();
    }
    asm volatile("wgmma.wait_group.sync.aligned 1;" : : : "memory");
    if (spoil) {
        __syncthreads();
        as[place<ta>(t / 2, 16 + t % 2)] = T(1.f);
    }
    WAIT_ALL;
    for (int e = 0; e < 4; e++)
        out[(t / 32 * 16 + t % 32 / 4 + e / 2 * 8) * 8 + t % 4 * 2 + e % 2] = -(int)c[e];
}

// Dynamic shared memory, at a multiple of 1 KiB: tiles of 8 KiB.
template <class T> static __device__ T *tiles()
{
    extern __shared__ uint4 room[];
    return reinterpret_cast<T *>(reinterpret_cast<char *>(room) + (-(unsigned)__cvta_generic_to_shared(room) & 1023));
}

K both_deep(const int *in, int *out)
{
    __nv_bfloat16 *s = tiles<__nv_bfloat16>();
    product<true, false, false>(in, out, s, s + 4096, 1, false);
}
K b_across(const int *in, int *out)
{
    __half *s = tiles<__half>();
    product<false, false, true>(in, out, s, s + 4096, 1, false);
}
K a_across(const int *in, int *out)
{
    __nv_bfloat16 *s = tiles<__nv_bfloat16>();
    product<true, true, false>(in, out, s, s + 4096, 1, false);
}
K both_across(const int *in, int *out)
{
    __half *s = tiles<__half>();
    product<false, true, true>(in, out, s, s + 4096, 1, false);
}

// Depth by depth of 32 bytes; A from a tile, or each warp's 16 rows from registers.
template <bool held, class T>
static __device__ void product_deep(const int *in, int *out)
{
    constexpr int size = sizeof(T), pack = 16 / size, per = 4 / size, step = 2 * pack, length = 128 / size;
    const int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4;
    T *const as = tiles<T>(), *const bs = as + 64 * length;
    auto place = [](int x, int d) { return x * length + (d / pack ^ x % 8) * pack + d % pack; };
    auto describe = [](const T *tile, int d) { return described<false>(tile, d * size / 2, 1); };
    float c[4] = {1e6f, 1e6f, 1e6f, 1e6f};
    for (int i = t; i < 64 * 32; i += 128)
        as[place(i / 32, i % 32)] = T((float)in[i]);
    for (int i = t; i < 32 * 8; i += 128)
        bs[place(i % 8, i / 8)] = T((float)in[2048 + i]);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
    fence();
    for (int d = 0; d < 32; d += step) {
        unsigned a[4];
        for (int r = 0; r < 4; r++) {
            T of[per];
            for (int e = 0; e < per; e++)
                of[e] = T((float)in[(row + r % 2 * 8) * 32 + d + (t % 4 + r / 2 * 4) * per + e]);
            memcpy(&a[r], of, 4);
        }
        if (size == 2)
            asm volatile("{.reg .pred p;\n"
                         "setp.ne.s32 p, %9, 0;\n"
                         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, -1, 0;}"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(describe(bs, d)), "r"(d));
        else if (held)
            asm volatile("{.reg .pred p;\n"
                         "setp.ne.s32 p, %9, 0;\n"
                         "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, -1;}"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(describe(bs, d)), "r"(d));
        else
            asm volatile("{.reg .pred p;\n"
                         "setp.ne.s32 p, %6, 0;\n"
                         "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, p, 1, -1;}"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "l"(describe(as, d)), "l"(describe(bs, d)), "r"(d));
        commit();
        WAIT_ALL;
    }
    for (int e = 0; e < 4; e++)
        out[(row + e / 2 * 8) * 8 + t % 4 * 2 + e % 2] = -(int)c[e];
}
K floats(const int *in, int *out)
{
    product_deep<false, float>(in, out);
}
K held_floats(const int *in, int *out)
{
    product_deep<true, float>(in, out);
}
K held_halves(const int *in, int *out)
{
    product_deep<true, __half>(in, out);
}

K spoiled(const int *in, int *out)
{
    __nv_bfloat16 *s = tiles<__nv_bfloat16>();
    product<true, false, false>(in, out, s, s + 4096, 1, true);
}
K not_swizzled(const int *in, int *out)
{
    __nv_bfloat16 *s = tiles<__nv_bfloat16>();
    product<true, false, false>(in, out, s, s + 4096, 0, false);
}
K not_dynamic(const int *in, int *out)
{
    __shared__ __align__(1024) __nv_bfloat16 s[8192];
    product<true, false, false>(in, out, s, s + 4096, 1, false);
}
K not_written(const int *in, int *out)
{
    float c[4] = {0, 0, 0, 0};
    constexpr bool ta = false, tb = false;
    const __nv_bfloat16 *const as = tiles<__nv_bfloat16>(), *const bs = as + 4096;
    const int d = 0, swizzle = 1;
    fence();
    PRODUCT("bf16");
    commit();
    WAIT_ALL;
    out[threadIdx.x] = (int)c[0] + in[0];
}
