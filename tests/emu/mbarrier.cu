// Barriers in shared memory: cuda::barrier and cuda::pipeline as the library writes them, and the instructions.
// What must come out is in test_emu_mbarrier.c.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#define K extern "C" __global__ void
namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// ---- as the library has them

K arrives(const int *in, int *out)
{
    __shared__ int t[64];
    __shared__ block_barrier b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    t[threadIdx.x] = in[threadIdx.x];
    block_barrier::arrival_token token = b.arrive();
    b.wait(std::move(token));
    int sum = t[63 - threadIdx.x];
    b.arrive_and_wait();
    t[threadIdx.x] *= 2;
    b.arrive_and_wait();
    sum += t[63 - threadIdx.x];
    if (threadIdx.x < 32) {
        b.arrive_and_drop();
    } else { // the others go on among themselves
        b.arrive_and_wait();
        t[threadIdx.x] = 1000 * in[threadIdx.x];
        b.arrive_and_wait();
        sum += t[95 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
K copies(const int *in, int *out)
{
    __shared__ alignas(16) int t[64];
    __shared__ block_barrier b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(t + threadIdx.x, in + threadIdx.x, sizeof(int), b);
    b.arrive_and_wait();
    out[threadIdx.x] = t[63 - threadIdx.x];
}
K group_copies(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    __shared__ alignas(16) int t[64];
    cg::memcpy_async(block, t, in, sizeof(t));
    cg::wait(block);
    out[threadIdx.x] = t[63 - threadIdx.x];
}
K pipeline_block(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    __shared__ alignas(16) int t[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(block, t[0], in, sizeof(int) * 64, pipe);
    pipe.producer_commit();
    for (int i = 1; i < 6; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, t[i & 1], in + i * 64, sizeof(int) * 64, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += t[(i - 1) & 1][63 - threadIdx.x] * i;
        pipe.consumer_release();
    }
    pipe.consumer_wait();
    sum += t[1][63 - threadIdx.x] * 6;
    pipe.consumer_release();
    out[threadIdx.x] = sum;
}
K pipeline_roles(const int *in, int *out) // one warp brings, the other takes
{
    __shared__ alignas(16) int t[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, role);
    int lane = threadIdx.x & 31, sum = 0;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 6; i++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&t[i & 1][lane], in + i * 32 + lane, sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int i = 0; i < 6; i++) {
            pipe.consumer_wait();
            sum += t[i & 1][31 - lane] * (i + 1);
            pipe.consumer_release();
        }
        out[lane] = sum;
    }
}

K block_tiles(const int *in, int *out) // tiles of several warps, which meet in memory of the system's
{
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
}

// ---- the instructions

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void begin(unsigned long long *b, unsigned n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
static __device__ unsigned long long arrive(unsigned long long *b)
{
    unsigned long long state;
    asm volatile("mbarrier.arrive.release.cta.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(b)) : "memory");
    return state;
}
static __device__ bool test(unsigned long long *b, unsigned long long state)
{
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.acquire.cta.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(b)), "l"(state) : "memory");
    return done;
}
static __device__ bool test_parity(unsigned long long *b, unsigned parity)
{
    unsigned done;
#if __CUDA_ARCH__ >= 900
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 1000; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory");
#else
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory");
#endif
    return done;
}
K ring(const int *in, int *out) // full and empty barriers, waited for by parity; one lane of a warp arrives
{
    __shared__ int t[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int lane = threadIdx.x & 31, sum = 0;
    if (threadIdx.x < 2) {
        begin(&full[threadIdx.x], 1);
        begin(&empty[threadIdx.x], 1);
    }
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        int s = i & 1, parity = i >> 1 & 1;
        if (threadIdx.x < 32) {
            while (!test_parity(&empty[s], parity ^ 1)) { // of a new barrier the phase before is complete
            }
            t[s][lane] = in[i * 32 + lane];
            __syncwarp();
            if (lane == 0)
                arrive(&full[s]);
        } else {
            while (!test_parity(&full[s], parity)) {
            }
            sum += t[s][31 - lane] * (i + 1);
            __syncwarp();
            if (lane == 0)
                arrive(&empty[s]);
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}
K copies_noinc(const int *in, int *out) // each lane's copy is its arrival
{
    __shared__ alignas(16) int t[32][4];
    __shared__ unsigned long long b;
    if (threadIdx.x == 0)
        begin(&b, 32);
    __syncwarp();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n"
                 "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%2];"
                 ::"r"(shared_address(t[threadIdx.x])), "l"(in + threadIdx.x * 4), "r"(shared_address(&b)) : "memory");
    while (!test_parity(&b, 0)) {
    }
    out[threadIdx.x] = t[31 - threadIdx.x][threadIdx.x % 4];
}
K counted(const int *in, int *out) // several arrivals at once, what is left of a phase, a barrier made anew
{
    __shared__ unsigned long long b;
    unsigned left = 0, at = shared_address(&b);
    unsigned long long state;
    begin(&b, 5);
    asm volatile("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(3) : "memory");
    bool early = test(&b, state);
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    bool done = test(&b, state);
    state = arrive(&b); // of the four that are expected now
    unsigned four;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(four) : "l"(state));
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
    begin(&b, 1);
    state = arrive(&b);
    out[0] = early + 10 * left + 100 * done + 1000 * four + 10000 * test(&b, state) + 0 * in[0];
}

// ---- at fault

K bad_no_wait(const int *in, int *out) // arrives, and reads what others may not have written yet
{
    __shared__ int t[64];
    __shared__ unsigned long long b;
    if (threadIdx.x == 0)
        begin(&b, 64);
    t[threadIdx.x] = 0;
    __syncthreads();
    t[threadIdx.x] = in[threadIdx.x] + 1;
    arrive(&b);
    out[threadIdx.x] = t[63 - threadIdx.x];
}
K bad_early_write(const int *in, int *out) // filled again though nobody said that it is empty
{
    __shared__ int t[32];
    __shared__ unsigned long long full;
    int lane = threadIdx.x & 31;
    if (threadIdx.x == 0)
        begin(&full, 64);
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x < 32)
            t[lane] = in[i * 32 + lane] + 1;
        arrive(&full);
        while (!test_parity(&full, i)) {
        }
        if (threadIdx.x >= 32)
            out[lane] = t[31 - lane];
    }
}
K bad_copy(const int *in, int *out) // reads what is still being copied
{
    __shared__ alignas(16) int t[64];
    __shared__ block_barrier b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(t + threadIdx.x, in + threadIdx.x, sizeof(int), b);
    out[threadIdx.x] = t[threadIdx.x];
    b.arrive_and_wait();
}
K bad_count(const int *in, int *out) // waits for one arrival too many
{
    __shared__ block_barrier b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x + 1);
    __syncthreads();
    b.arrive_and_wait();
    out[threadIdx.x] = in[threadIdx.x];
}
K bad_overflow(const int *in, int *out)
{
    __shared__ unsigned long long b;
    if (threadIdx.x == 0) {
        begin(&b, 2);
        asm volatile("mbarrier.arrive.shared.b64 _, [%0], 3;" ::"r"(shared_address(&b)) : "memory");
    }
    out[threadIdx.x] = in[threadIdx.x];
}
K bad_complete(const int *in, int *out)
{
    __shared__ unsigned long long b;
    if (threadIdx.x == 0) {
        begin(&b, 2);
        asm volatile("{ .reg .b64 s; mbarrier.arrive.noComplete.shared.b64 s, [%0], 2; }" ::"r"(shared_address(&b)) : "memory");
    }
    out[threadIdx.x] = in[threadIdx.x];
}
K bad_zero(const int *in, int *out)
{
    __shared__ unsigned long long b;
    begin(&b, in[0] * 0);
    out[threadIdx.x] = in[threadIdx.x];
}
K bad_unmade(const int *in, int *out)
{
    __shared__ unsigned long long b;
    while (!test_parity(&b, 1)) {
    }
    out[threadIdx.x] = in[threadIdx.x];
}
K bad_spoilt(const int *in, int *out)
{
    __shared__ unsigned long long b;
    if (threadIdx.x == 0) {
        begin(&b, 1);
        *(volatile unsigned long long *)&b = in[0];
        arrive(&b);
    }
    out[threadIdx.x] = in[threadIdx.x];
}
K bad_begin(const int *in, int *out) // others arrive before it is made, as far as they know
{
    __shared__ block_barrier b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncwarp();
    b.arrive_and_wait();
    out[threadIdx.x] = in[threadIdx.x];
}
