// Kernels that do something wrong in one place each (named by the test), and kernels that do
// difficult things right.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#define K extern "C" __global__ void

// ---- wrong

K bad_write_behind(int *out, int n)
{
    out[threadIdx.x + (threadIdx.x == 31 ? n : 0)] = 1;
}
K bad_read_before(const int *in, int *out)
{
    out[threadIdx.x] = in[(int)threadIdx.x - 1];
}
K bad_far(const int *in, int *out)
{
    out[threadIdx.x] = in[(long long)threadIdx.x << 38];
}
K bad_misaligned(const char *in, int *out)
{
    out[threadIdx.x] = *(const int *)(in + 2);
}
K bad_uninitialised(int *out, int *work)
{
    if (threadIdx.x < 31)
        work[threadIdx.x] = 1;
    out[threadIdx.x] = work[threadIdx.x];
}
K bad_shared_uninitialised(int *out)
{
    __shared__ int t[64];
    t[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = t[threadIdx.x + 1];
}
K bad_shared_bounds(int *out)
{
    __shared__ int t[32], u[32];
    t[threadIdx.x] = u[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = (&t[0])[threadIdx.x * 2] + u[0];
}
K bad_dynamic_bounds(int *out)
{
    extern __shared__ int d[];
    d[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = d[31 - threadIdx.x];
}
K bad_shared_race(int *out)
{
    __shared__ int t[64];
    t[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = t[63 - threadIdx.x];
}
K bad_second_barrier(const int *in, int *out)
{
    __shared__ int t[64];
    int s = 0;
    for (int i = 0; i < 4; i++) {
        t[threadIdx.x] = in[i * 64 + threadIdx.x];
        __syncthreads();
        s += t[63 - threadIdx.x];
    }
    out[threadIdx.x] = s;
}
K bad_warp_race(int *out)
{
    __shared__ int t[32];
    t[threadIdx.x] = threadIdx.x;
    t[threadIdx.x ^ 1] += 1;
    __syncwarp();
    out[threadIdx.x] = t[threadIdx.x];
}
K bad_late_reader(int *out) // the last to read is not of those that all read at once
{
    int x = out[0];
    __syncthreads();
    if (threadIdx.x == 40)
        x += out[0];
    if (threadIdx.x == 5)
        out[0] = x + 1;
    out[1 + threadIdx.x] = x;
}
K bad_neighbour_byte(signed char *bytes)
{
    bytes[threadIdx.x] += bytes[threadIdx.x ^ 1];
}
K bad_global_race(int *out, int *work)
{
    work[blockIdx.x] = blockIdx.x + 1;
    out[blockIdx.x] = work[(blockIdx.x + 1) % gridDim.x];
}
K bad_lost_update(int *count)
{
    count[0] = count[0] + 1;
}
K bad_block_scope(int *count) // an atomic of one block is none for another
{
    atomicAdd_block(count, 1);
}
K good_block_scope(int *count)
{
    atomicAdd_block(&count[blockIdx.x], 1);
}
K bad_no_fence(const int *in, int *part, unsigned *ticket, int *out)
{
    part[blockIdx.x] = in[blockIdx.x];
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
        int s = 0;
        for (int i = 0; i < gridDim.x; i++)
            s += ((volatile int *)part)[i] + part[i];
        *out = s;
    }
}
K bad_early_fence(const int *in, int *part, unsigned *ticket, int *out)
{
    __threadfence();
    part[blockIdx.x] = in[blockIdx.x];
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
        int s = 0;
        for (int i = 0; i < gridDim.x; i++)
            s += part[i];
        *out = s;
    }
}
K bad_divergent_barrier(int *out)
{
    __shared__ int t[32];
    if (threadIdx.x & 1) {
        t[threadIdx.x] = 1;
        asm volatile("bar.sync 0;" ::: "memory");
        out[threadIdx.x] = 2;
    } else {
        t[threadIdx.x] = 3;
        asm volatile("bar.sync 0;" ::: "memory");
        out[threadIdx.x] = 4;
    }
}
K bad_unreached_barrier(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}
K bad_endless(volatile int *flag)
{
    while (flag[0] == 0) {
    }
}
K bad_volatile_warp(int *out) // lanes of a warp need not run in step
{
    __shared__ volatile int t[64];
    t[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32) {
        t[threadIdx.x] += t[threadIdx.x + 32];
        t[threadIdx.x] += t[threadIdx.x + 16];
    }
    if (threadIdx.x == 0)
        out[0] = t[0];
}
K bad_trap(int *out)
{
    out[0] = 1;
    asm volatile("trap;");
}
K bad_old_race(int *out, int n) // far more is remembered in between than memory has cells
{
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        out[1] = 7;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x % 32 == 0)
            out[2 + warp] = i;
        __threadfence_block();
    }
    if (threadIdx.x == 32)
        out[0] = out[1];
}
K bad_pipeline(const int *in, int *out)
{
    __shared__ int t[32];
    __pipeline_memcpy_async(&t[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    out[threadIdx.x] = t[threadIdx.x];
}

// ---- right

K good_bytes_in_place(signed char *bytes, short *shorts)
{
    bytes[threadIdx.x] += 1;
    shorts[threadIdx.x] += bytes[threadIdx.x];
}
K good_reduce(const float *in, float *out, int n)
{
    __shared__ float t[256];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    t[threadIdx.x] = s;
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        __syncthreads();
        if (threadIdx.x < w)
            t[threadIdx.x] += t[threadIdx.x + w];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = t[0];
}
K good_volatile_warp(int *out)
{
    __shared__ volatile int t[64];
    t[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int half = 32; half > 0 && threadIdx.x < 32; half /= 2) {
        int v = t[threadIdx.x + half];
        __syncwarp();
        t[threadIdx.x] += v;
        __syncwarp();
    }
    if (threadIdx.x == 0)
        out[0] = t[0];
}
K good_shuffle(const int *in, int *out)
{
    int s = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_xor_sync(0xffffffff, s, d);
    int up = __shfl_up_sync(0xffffffff, s, 3, 8), at = __shfl_sync(0xffffffff, in[threadIdx.x], 5, 16);
    out[threadIdx.x] = s + up + at * 1000;
}
K good_votes(const int *in, int *out)
{
    int x = in[threadIdx.x];
    unsigned b = __ballot_sync(0xffffffff, x & 1);
    int all = __all_sync(0xffffffff, x >= 0), any = __any_sync(0xffffffff, x == 3);
    unsigned m = __match_any_sync(0xffffffff, x & 3);
    int r = __reduce_add_sync(0xffffffff, x), lo = __reduce_min_sync(0xffffffff, x);
    out[threadIdx.x] = (int)(b ^ m) + all + 2 * any + r * 16 + lo;
}
K good_partial_warp(const int *in, int *out)
{
    int x = in[threadIdx.x];
    if (x & 1) {
        unsigned m = __activemask();
        x += __shfl_sync(m, x, __ffs(m) - 1);
    }
    out[threadIdx.x] = x;
}
K good_histogram(const int *in, int *bins, int n)
{
    __shared__ int local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
K good_last_block(const int *in, int *part, unsigned *ticket, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x] * 2;
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int s = 0;
        for (int i = 0; i < gridDim.x; i++)
            s += part[i];
        *out = s;
    }
}
K good_chain(const int *in, int *sum, volatile int *flag)
{
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (flag[blockIdx.x - 1] == 0) {
            }
            __threadfence();
            before = sum[blockIdx.x - 1];
        }
        sum[blockIdx.x] = before + in[blockIdx.x];
        __threadfence();
        flag[blockIdx.x] = 1;
    }
}
K good_lock(int *lock, int *count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            count[0] = count[0] + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
K good_lane_wait(volatile int *flag, int *out)
{
    if (threadIdx.x == 31)
        flag[0] = 7;
    else
        while (flag[0] != 7) {
        }
    out[threadIdx.x] = flag[0];
}
K good_grid_barrier(const int *in, int *mid, int *out, volatile unsigned *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    mid[i] = in[i] + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd((unsigned *)count, 1);
        while (*count < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    out[i] = mid[n - 1 - i];
}
K good_named_barriers(const int *in, int *out)
{
    __shared__ int t[128];
    int half = threadIdx.x / 64, at = threadIdx.x % 64;
    t[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    out[threadIdx.x] = t[half * 64 + 63 - at];
}
K good_count(const int *in, int *out)
{
    out[threadIdx.x] = __syncthreads_count(in[threadIdx.x] & 1) + 1000 * __syncthreads_or(in[threadIdx.x] == 77);
}
K good_dynamic(const int *in, int *out, int n)
{
    extern __shared__ int d[];
    __shared__ int extra[4];
    d[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 4)
        extra[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = d[n - 1 - threadIdx.x] + extra[threadIdx.x & 3];
}
K good_vectors(const float4 *in, float4 *out)
{
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
}
K good_bytes(unsigned char *out)
{
    __shared__ unsigned char t[64];
    t[threadIdx.x] = (unsigned char)(threadIdx.x * 3);
    __syncthreads();
    out[threadIdx.x] = t[63 - threadIdx.x];
}
K good_atomics(int *x, unsigned *u, float *f, unsigned long long *l, double *d)
{
    int t = threadIdx.x;
    atomicMax(&x[0], t * 7 % 61);
    atomicMin(&x[1], -t);
    atomicOr(&x[2], 1 << (t & 31));
    atomicXor(&x[3], t);
    atomicAnd(&x[4], ~t);
    atomicInc(&u[0], 40);
    atomicDec(&u[1], 40);
    atomicAdd(f, (float)t);
    atomicAdd(l, (unsigned long long)t << 33);
    atomicAdd(d, (double)t);
}
K good_pipeline(const int *in, int *out)
{
    __shared__ int t[64];
    __pipeline_memcpy_async(&t[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&t[32 + threadIdx.x], &in[32 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int s = t[31 - threadIdx.x];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = s + 100 * t[63 - threadIdx.x];
}
struct pair {
    int a[14];
    float f;
};
K good_struct(pair p, int *out)
{
    out[threadIdx.x] = p.a[threadIdx.x % 14] + (int)p.f;
}
K good_same_value(int *out)
{
    out[0] = 5;
}
K good_warp_sync(int *out)
{
    __shared__ int t[32];
    t[threadIdx.x] = threadIdx.x;
    __syncwarp();
    int x = t[threadIdx.x ^ 1];
    __syncwarp();
    t[threadIdx.x] = x * 2;
    __syncwarp();
    out[threadIdx.x] = t[31 - threadIdx.x];
}
K good_early_exit(const int *in, int *out, int n)
{
    __shared__ int t[64];
    if (threadIdx.x >= n)
        return;
    t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = t[n - 1 - threadIdx.x];
}
K good_groups(const int *in, int *out)
{
    auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    int s = in[threadIdx.x];
    for (int d = tile.size() / 2; d > 0; d /= 2)
        s += tile.shfl_down(s, d);
    out[threadIdx.x] = tile.shfl(s, 0);
}
