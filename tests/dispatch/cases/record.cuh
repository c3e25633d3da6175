// What kernels of the suite do: leave an entry in a log that says which kernel ran, with which
// geometry, and what its arguments were. A device writes it; on the mock runtime the host plays it.
#pragma once
#include <cuda_runtime.h>

struct Entry {
    char who[24]; // "o": an original; else the name of a variant's kernel
    dim3 grid, block;
    unsigned shared;         // dynamic shared memory, bytes
    unsigned long long args; // hash of their bytes
};
enum { LOG_ENTRIES = 8192 };
struct Log {
    unsigned n;
    Entry at[LOG_ENTRIES];
};
struct Geometry {
    dim3 grid, block;
    unsigned shared;
};
Geometry played_geometry(); // host: of the launch that the mock is playing

// Not inlined: the suite has a hundred kernels, and no speed to show.
#define RECORD_FUNCTION static __host__ __device__ __attribute__((noinline, unused))

// Byte by byte, so that volatile, unaligned and large arguments are all alike.
RECORD_FUNCTION unsigned long long hash_bytes(unsigned long long h, const volatile void *value,
                                              size_t n)
{
    const volatile unsigned char *at = (const volatile unsigned char *)value;
    for (size_t i = 0; i < n; i++)
        h = (h ^ at[i]) * 1099511628211ull;
    return h;
}
__host__ __device__ inline unsigned long long hash_rest(unsigned long long h)
{
    return h;
}
template <class T, class... R>
__host__ __device__ inline unsigned long long hash_rest(unsigned long long h, const T &first,
                                                        const R &...rest)
{
    return hash_rest(hash_bytes(h, (const volatile void *)&first, sizeof first), rest...);
}
template <class... A> __host__ __device__ inline unsigned long long hash_of(const A &...args)
{
    return hash_rest(14695981039346656037ull, args...);
}

RECORD_FUNCTION void put_entry(Log *log, const char *who, unsigned long long args)
{
#ifdef __CUDA_ARCH__
    unsigned shared, i = atomicAdd(&log->n, 1u);
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
    const Geometry g = {gridDim, blockDim, shared};
#else
    unsigned i = __sync_fetch_and_add(&log->n, 1u);
    const Geometry g = played_geometry();
#endif
    if (i >= LOG_ENTRIES)
        return;
    Entry *e = &log->at[i];
    unsigned k = 0;
    for (; who[k] != '\0' && k + 1 < sizeof e->who; k++)
        e->who[k] = who[k];
    e->who[k] = '\0';
    e->grid = g.grid;
    e->block = g.block;
    e->shared = g.shared;
    e->args = args;
}

template <class... A>
__host__ __device__ inline void record(Log *log, const char *who, const A &...args)
{
#ifdef __CUDA_ARCH__
    if (threadIdx.x | threadIdx.y | threadIdx.z | blockIdx.x | blockIdx.y | blockIdx.z)
        return;
#endif
    put_entry(log, who, hash_of(args...));
}
