// Device code of our own, compiled at build time and embedded (trusted.cmake): what the
// judge itself runs around a candidate. Loaded by cuda_trusted.c, which owns the launch shapes.

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned char u8;

// splitmix64's output function.
static __device__ u64 mix(u64 z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// Eight canary bytes number `i`; a function of word and position alone.
static __device__ u64 canary_word(u32 word, u64 i)
{
    return mix((i + 1) * 0x9e3779b97f4a7c15ull + (u64)word * 0xd1342543de82ef95ull);
}

// Output number `index` of the generator that begins at `seed`, as base/rng.h has it.
static __device__ u64 ks_hash_counter(u64 seed, u64 index)
{
    return mix(seed + (index + 1) * 0x9e3779b97f4a7c15ull);
}

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define _Noreturn // C's headers
#include "workload/number.h"

static __device__ u64 first_index()
{
    return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ u64 stride()
{
    return (u64)gridDim.x * blockDim.x;
}

static __device__ void store(u8 *p, u64 n, u64 i, u64 value)
{
    if (((u64)p & 7) == 0 && i * 8 + 8 <= n)
        ((u64 *)p)[i] = value;
    else
        for (u64 k = i * 8; k < i * 8 + 8 && k < n; k++)
            p[k] = (u8)(value >> 8 * (k & 7));
}

// The word over and over, beginning with its low byte, whatever the alignment.
extern "C" __global__ void ks_poison(u8 *p, u64 n, u32 word)
{
    for (u64 i = first_index(); i * 8 < n; i += stride())
        store(p, n, i, (u64)word << 32 | word);
}

extern "C" __global__ void ks_canary(u8 *p, u64 n, u32 word)
{
    for (u64 i = first_index(); i * 8 < n; i += stride())
        store(p, n, i, canary_word(word, i));
}

// *bad counts bytes that are not the canary; *first (set to ~0 before) is the first such offset.
extern "C" __global__ void ks_check(const u8 *p, u64 n, u32 word, u64 *bad, u64 *first)
{
    bool aligned = ((u64)p & 7) == 0;
    for (u64 i = first_index(); i * 8 < n; i += stride()) {
        u64 value = canary_word(word, i);
        if (aligned && i * 8 + 8 <= n && ((const u64 *)p)[i] == value)
            continue;
        for (u64 k = i * 8; k < i * 8 + 8 && k < n; k++)
            if (p[k] != (u8)(value >> 8 * (k & 7))) {
                atomicAdd(bad, 1ull);
                atomicMin(first, k);
            }
    }
}

// Sum over words of a hash of (word, position): depends on the order of the bytes, not on that of
// the threads.
extern "C" __global__ void ks_fingerprint(const u8 *p, u64 n, u64 *out)
{
    bool aligned = ((u64)p & 7) == 0;
    u64 sum = first_index() == 0 ? mix(n + 1) : 0;
    for (u64 i = first_index(); i * 8 < n; i += stride()) {
        u64 word = 0;
        if (aligned && i * 8 + 8 <= n)
            word = ((const u64 *)p)[i];
        else
            for (u64 k = i * 8; k < i * 8 + 8 && k < n; k++)
                word |= (u64)p[k] << 8 * (k & 7);
        sum += mix(word ^ mix((i + 1) * 0x9e3779b97f4a7c15ull));
    }
    if (sum != 0)
        atomicAdd(out, sum);
}

// The elements of `size` bytes at n places, one behind another.
extern "C" __global__ void ks_gather(const u8 *p, const u64 *places, u64 n, u32 size, u8 *out)
{
    for (u64 i = first_index(); i < n; i += stride()) {
        const u8 *from = p + places[i] * size;
        for (u32 k = 0; k < size; k++)
            out[i * size + k] = from[k];
    }
}

// A number as its type keeps it: its bits, and what they stand for.
struct held {
    u32 bits;
    double value;
};

static __device__ held hold(enum ks_scalar scalar, double value)
{
    if (isfinite(value) && fabs(value) > largest(scalar))
        value = copysign(largest(scalar), value);
    float single = (float)value;
    if (scalar == KS_T_F32)
        return held{__float_as_uint(single), (double)single};
    if (scalar == KS_T_F16)
        return held{__half_as_ushort(__float2half_rn(single)), (double)__half2float(__float2half_rn(single))};
    return held{__bfloat16_as_ushort(__float2bfloat16_rn(single)), (double)__bfloat162float(__float2bfloat16_rn(single))};
}

// n numbers of a buffer of floats, as workload/fill.c makes them; two that come as one pair by one thread.
extern "C" __global__ void ks_generate(void *out, u64 n, struct ks_filling f)
{
    const enum ks_scalar scalar = f.elem.scalar;
    struct source source = number_source(&f.init, f.seed, (u64)f.total * (u64)f.elem.lanes);
    struct number_range range = number_range(f.family, &f.init);
    for (u64 p = first_index(); p < (n + 1) / 2; p += stride())
        for (u64 i = 2 * p; i < 2 * p + 2 && i < n; i++) {
            held x = hold(scalar, number_of(f.family, scalar, &f.init, &source, i));
            if (range.open && x.value >= range.end)
                x = hold(scalar, range.begin);
            if (f.absolute)
                x = hold(scalar, number_negative(f.signs, i) ? -fabs(x.value) : fabs(x.value));
            if (f.wide)
                ((double *)out)[i] = number_kept(&f, x.value, i);
            else if (scalar == KS_T_F32)
                ((float *)out)[i] = (float)(f.single ? number_kept(&f, x.value, i) : x.value);
            else
                ((unsigned short *)out)[i] = (unsigned short)x.bits;
        }
}

#define SCRUB_REGISTERS 48 // of the 64 that 1024 threads a block leave each
#define SCRUB_LOCAL 512    // words

// One block fills an SM: all shared memory by opt-in, 1024 threads of 64 registers.
extern "C" __global__ void __launch_bounds__(1024, 1) ks_scrub(u32 word, u32 shared_words, u32 *sink)
{
    extern __shared__ u32 shared[];
    volatile u32 *all = shared;
    volatile u32 frame[SCRUB_LOCAL];
    u32 held[SCRUB_REGISTERS];
    for (u32 i = threadIdx.x; i < shared_words; i += blockDim.x)
        all[i] = (u32)canary_word(word, i);
    for (u32 i = 0; i < SCRUB_LOCAL; i++)
        frame[i] = (u32)canary_word(word, i + threadIdx.x);
    // Volatile loads on one side of the barrier, their use on the other: ptxas must keep them all in
    // registers at once (it recomputes what it can).
#pragma unroll
    for (u32 i = 0; i < SCRUB_REGISTERS; i++)
        held[i] = all[(threadIdx.x + i) % shared_words];
    __syncthreads();
    u32 sum = all[word % shared_words] + frame[word % SCRUB_LOCAL];
#pragma unroll
    for (int i = 0; i < SCRUB_REGISTERS; i++)
        sum = (sum ^ held[i]) * 31; // a chain that cannot begin before the barrier
    if (sum == 0x5eed0000u + threadIdx.x) // keeps everything above alive; what it writes is unread
        sink[0] = sum;
}

// Time and cycle counter of every SM that a block of it runs on: stamps[smid].
extern "C" __global__ void ks_stamp(ulonglong2 *stamps, u32 slots)
{
    u32 sm;
    u64 ns, cycles;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));
    if (threadIdx.x == 0 && sm < slots)
        stamps[sm] = make_ulonglong2(ns, cycles);
}

// Holds the stream for about `cycles`, while the host enqueues what comes next.
extern "C" __global__ void ks_spin(u64 cycles)
{
    u64 begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

extern "C" __global__ void ks_copy(const float4 *from, float4 *to, u64 n)
{
    for (u64 i = first_index(); i < n; i += stride())
        to[i] = from[i];
}

// What no kernel can leave undone that reads n_from times 16 bytes and writes n_to times 16: each thread
// `each` of them (4 at most), all loads first, and nothing is computed.
extern "C" __global__ void ks_least(const uint4 *from, u64 n_from, uint4 *to, u64 n_to, u32 each)
{
    uint4 held[4];
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        u64 i = first_index() + k * stride();
        held[k] = k < each && i < n_from ? from[i] : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        u64 i = first_index() + k * stride();
        if (k < each && i < n_to)
            to[i] = held[k];
        else if (held[k].x == 0x5eed0001u && held[k].y == 0x5eed0002u && held[k].z == 0x5eed0003u)
            to[0] = held[k]; // keeps alive what is read and not written
    }
}

// iterations * 128 FMAs a thread, in eight independent chains.
extern "C" __global__ void ks_fma(float *out, float x, float y, int iterations)
{
    float a[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = (float)(threadIdx.x + k);
    for (int i = 0; i < iterations; i++) {
#pragma unroll
        for (int u = 0; u < 16; u++) {
#pragma unroll
            for (int k = 0; k < 8; k++)
                a[k] = __fmaf_rn(a[k], x, y);
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += a[k];
    if (sum == -1.0f)
        out[0] = sum;
}
