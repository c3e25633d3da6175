// CUDA C++ device code as host C++, one fiber a thread: kernels without a GPU for tests. Blocks run
// one after another, so shared memory can be static; barriers and shuffles yield to the other
// threads. Races and memory orders are not modelled: this checks what is computed, and under the
// address sanitizer where.
#ifndef CUDA_HOST_H
#define CUDA_HOST_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __constant__
#define __launch_bounds__(...)
#define __restrict__ __restrict

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

static dim3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

namespace cuda_host {
struct fiber {
    ucontext_t context;
    std::vector<char> stack;
    dim3 index;
    bool done;
};
static std::vector<fiber> fibers;
static ucontext_t scheduler;
static size_t current;
static unsigned alive, waiting, generation;
static std::vector<unsigned> warp_alive, warp_waiting, warp_generation;
static unsigned char exchange[2][1024][16];
static void (*body)(const void *call); // of what is launched
static const void *call;

static void yield()
{
    fiber &f = fibers[current];
    swapcontext(&f.context, &scheduler);
    threadIdx = f.index;
}
static void leave_warp(unsigned warp)
{
    warp_alive[warp]--;
    if (warp_alive[warp] > 0 && warp_waiting[warp] == warp_alive[warp]) {
        warp_waiting[warp] = 0;
        warp_generation[warp]++;
    }
}
static void start()
{
    body(call);
    fibers[current].done = true;
    leave_warp(current / 32);
    if (--alive > 0 && waiting == alive) {
        waiting = 0;
        generation++;
    }
    swapcontext(&fibers[current].context, &scheduler);
}
static void barrier()
{
    unsigned mine = generation;
    if (++waiting == alive) {
        waiting = 0;
        generation++;
        return;
    }
    while (mine == generation)
        yield();
}
static void warp_barrier()
{
    unsigned warp = (unsigned)current / 32, mine = warp_generation[warp];
    if (++warp_waiting[warp] == warp_alive[warp]) {
        warp_waiting[warp] = 0;
        warp_generation[warp]++;
        return;
    }
    while (mine == warp_generation[warp])
        yield();
}
template <class T> static T exchanged(T value, unsigned from)
{
    memcpy(exchange[0][current], &value, sizeof value);
    warp_barrier();
    T out;
    memcpy(&out, exchange[0][current / 32 * 32 + from % 32], sizeof out);
    warp_barrier();
    return out;
}
static unsigned lane() { return (unsigned)current % 32; }

static void run_block(bool meets)
{
    unsigned n = blockDim.x * blockDim.y * blockDim.z;
    if (!meets) {
        for (unsigned t = 0; t < n; t++) {
            threadIdx = dim3(t % blockDim.x, t / blockDim.x % blockDim.y,
                             t / blockDim.x / blockDim.y);
            body(call);
        }
        return;
    }
    fibers.resize(n);
    alive = n;
    waiting = generation = 0;
    warp_alive.assign((n + 31) / 32, 0);
    warp_waiting.assign((n + 31) / 32, 0);
    warp_generation.assign((n + 31) / 32, 0);
    for (unsigned t = 0; t < n; t++) {
        fiber &f = fibers[t];
        f.stack.resize(32768);
        f.done = false;
        f.index = dim3(t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y);
        warp_alive[t / 32]++;
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.data();
        f.context.uc_stack.ss_size = f.stack.size();
        f.context.uc_link = nullptr;
        makecontext(&f.context, start, 0);
    }
    while (alive > 0)
        for (current = 0; current < n; current++)
            if (!fibers[current].done) {
                threadIdx = fibers[current].index;
                swapcontext(&scheduler, &fibers[current].context);
            }
}

// `meets`: the kernel has barriers or shuffles.
static void launch_blocks(dim3 grid, dim3 block, bool meets)
{
    gridDim = grid;
    blockDim = block;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                blockIdx = dim3(x, y, z);
                run_block(meets);
            }
}
// As little as can be of each launch: a file has hundreds.
template <class F> static void launch(dim3 grid, dim3 block, bool meets, const F &f)
{
    body = [](const void *f) { (*static_cast<const F *>(f))(); };
    call = &f;
    launch_blocks(grid, block, meets);
}
} // namespace cuda_host

static inline void __syncthreads() { cuda_host::barrier(); }
static inline void __syncwarp(unsigned = 0xffffffffu) { cuda_host::warp_barrier(); }
template <class T> static T __shfl_down_sync(unsigned, T v, unsigned d, int width = 32)
{
    unsigned lane = cuda_host::lane(), to = lane + d;
    bool inside = lane % (unsigned)width + d < (unsigned)width;
    return cuda_host::exchanged(v, inside ? to : lane);
}
template <class T> static T __shfl_xor_sync(unsigned, T v, unsigned mask, int = 32)
{
    return cuda_host::exchanged(v, cuda_host::lane() ^ mask);
}
template <class T> static T __ldg(const T *p) { return *p; }
template <class T> static T __ldcs(const T *p) { return *p; }
template <class T> static void __stcs(T *p, T v) { *p = v; }
template <class T> static T atomicAdd(T *p, T v)
{
    T old = *p;
    *p += v;
    return old;
}
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }

// Test data: bytes that repeat under a seed; floats in [-1, 1), integers in [-8, 8).
template <class T> static void fill(T *p, size_t n, unsigned seed)
{
    unsigned s = seed * 2654435761u + 12345u;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        double u = (double)(s >> 8) / 8388608.0 - 1.0;
        p[i] = (T)(T(0.5) != T(0) ? u : u * 8.0);
    }
}
// A buffer whose data lie `skew` elements past a 256-byte boundary and end where the allocation
// ends, so that the address sanitizer sees what goes past.
template <class T> static T *buffer(size_t n, size_t skew)
{
    size_t bytes = (n + skew) * sizeof(T);
    void *base = nullptr;
    if (posix_memalign(&base, 256, bytes ? bytes : 1) != 0)
        abort();
    memset(base, 0xa5, bytes);
    return (T *)base + skew;
}
// Copies that a GPU makes beside the threads are done at once.
static inline void __pipeline_memcpy_async(void *to, const void *from, size_t n) { memcpy(to, from, n); }
static inline void __pipeline_commit() {}
static inline void __pipeline_wait_prior(size_t) {}
// A workspace, which plans pass as any pointer.
struct any_pointer {
    void *p;
    template <class T> operator T *() const { return (T *)p; }
};
static int failures;
template <class T>
static void compare(const char *what, const T *want, const T *got, size_t n, double rel)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&want[i], &got[i], sizeof(T)) == 0)
            continue;
        double a = (double)want[i], b = (double)got[i];
        if (rel > 0 && std::fabs(a - b) <= rel * (1.0 + std::fabs(a)))
            continue;
        printf("%s: element %zu of %zu is %g, should be %g\n", what, i, n, b, a);
        failures++;
        return;
    }
}

#endif
