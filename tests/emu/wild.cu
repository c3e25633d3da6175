// Kernels as people write them: library idioms, inline PTX, divided warps. Each takes numbers and gives numbers;
// what must come out is in test_emu_wild.c.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <assert.h>
#include <stdio.h>
#define K extern "C" __global__ void
namespace cg = cooperative_groups;

// ---- cooperative groups, warps

K cg_reduce(const int *in, int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int x = in[threadIdx.x];
    out[threadIdx.x] = cg::reduce(warp, x, cg::plus<int>()) + 1000 * cg::reduce(warp, x, cg::greater<int>());
}
K cg_reduce_float(const int *in, int *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    out[threadIdx.x] = (int)cg::reduce(tile, (float)in[threadIdx.x], cg::plus<float>());
}
K cg_scan(const int *in, int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    out[threadIdx.x] = cg::inclusive_scan(tile, in[threadIdx.x]) - cg::exclusive_scan(tile, in[threadIdx.x]);
}
K cg_coalesced(const int *in, int *out)
{
    int x = in[threadIdx.x];
    out[threadIdx.x] = -1;
    if (x % 3 == 0) {
        auto active = cg::coalesced_threads();
        out[threadIdx.x] = active.thread_rank() * 100 + active.size();
    }
}
K cg_labels(const int *in, int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, in[threadIdx.x] & 3);
    out[threadIdx.x] = same.size() * 100 + same.thread_rank();
}
K cg_aggregated(const int *in, int *out)
{
    if (in[threadIdx.x] & 1) {
        auto active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0)
            base = atomicAdd(out, (int)active.size());
        (void)active.shfl(base, 0);
    }
}
K warp_scan(const int *in, int *out)
{
    int lane = threadIdx.x & 31, x = in[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(0xffffffff, x, d);
        if (lane >= d)
            x += y;
    }
    out[threadIdx.x] = x;
}
K warp_scan_ptx(const int *in, int *out) // the predicate of shfl, as libraries use it
{
    int x = in[threadIdx.x];
    for (int d = 1; d < 32; d *= 2)
        asm volatile("{ .reg .s32 r; .reg .pred p; shfl.sync.up.b32 r|p, %0, %1, 0, -1; @p add.s32 r, r, %0; @p mov.s32 %0, r; }"
                     : "+r"(x) : "r"(d));
    out[threadIdx.x] = x;
}
K block_scan(const int *in, int *out)
{
    __shared__ int sums[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, x = in[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(~0u, x, d);
        x += lane >= d ? y : 0;
    }
    if (lane == 31)
        sums[warp] = x;
    __syncthreads();
    if (warp == 0 && lane < 8) {
        int s = sums[lane];
        for (int d = 1; d < 8; d *= 2) {
            int y = __shfl_up_sync(0xff, s, d, 8);
            s += lane >= d ? y : 0;
        }
        sums[lane] = s;
    }
    __syncthreads();
    out[threadIdx.x] = x + (warp > 0 ? sums[warp - 1] : 0);
}
K sync_masks(const int *in, int *out)
{
    __shared__ int t[32];
    int l = threadIdx.x;
    if (l < 16) {
        t[l] = in[l];
        __syncwarp(0x0000ffff);
        out[l] = t[15 - l];
    } else {
        t[l] = in[l] * 2;
        __syncwarp(0xffff0000);
        out[l] = t[47 - l];
    }
}
K sync_reduce(const int *in, int *out)
{
    unsigned x = in[threadIdx.x];
    out[threadIdx.x] = __reduce_or_sync(~0u, x) + __reduce_max_sync(~0u, x) * 1000 + (int)__reduce_xor_sync(~0u, x & 7) * 100000;
}
K match_all(const int *in, int *out)
{
    int pred;
    unsigned m = __match_all_sync(~0u, in[blockIdx.x] / 200, &pred);
    unsigned any = __match_any_sync(~0u, (unsigned long long)(in[threadIdx.x] % 5) << 40);
    out[threadIdx.x] = (m == ~0u) + 2 * pred + 4 * __popc(any);
}
K fns(const int *in, int *out)
{
    out[threadIdx.x] = __fns(0x5a5a1234u, 0, threadIdx.x % 8 + 1);
}
K sleeps(const int *in, int *out)
{
    __nanosleep(20);
    out[threadIdx.x] = in[threadIdx.x];
}
K lane_masks(const int *in, int *out)
{
    unsigned lt, ge, nw, d;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(nw));
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(d));
    out[threadIdx.x] = __popc(lt) + 100 * __popc(ge) + 10000 * (nw > 0) + (int)d * 100000;
}
K elects(const int *in, int *out)
{
#if __CUDA_ARCH__ >= 900
    unsigned lead, is;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(lead), "=r"(is));
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; @!p bra done; add.u32 %0, %0, 5; done: }" : "+r"(is));
    out[threadIdx.x] = lead * 10 + is;
#else
    out[threadIdx.x] = threadIdx.x % 32 == 0 ? 6 : 0;
#endif
}

// ---- order and atomics

K named_pipeline(const int *in, int *out) // one warp produces, one consumes, by arrive and sync
{
    __shared__ int buffer[2][32];
    int lane = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 8; i++) {
            int stage = i & 1;
            if (i >= 2)
                asm volatile("barrier.sync %0, 64;" ::"r"(stage + 3) : "memory");
            buffer[stage][lane] = in[i * 32 + lane] * 3;
            asm volatile("barrier.arrive %0, 64;" ::"r"(stage + 1) : "memory");
        }
    } else {
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            int stage = i & 1;
            asm volatile("barrier.sync %0, 64;" ::"r"(stage + 1) : "memory");
            sum += buffer[stage][31 - lane];
            if (i < 6)
                asm volatile("barrier.arrive %0, 64;" ::"r"(stage + 3) : "memory");
        }
        out[lane] = sum;
    }
}
K barrier_red(const int *in, int *out)
{
    unsigned n, any, all;
    int odd = in[threadIdx.x] & 1;
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, 2, 64, p; }" : "=r"(n) : "r"(odd));
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.or.pred q, 2, p; selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(odd));
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.and.pred q, 2, !p; selp.u32 %0, 1, 0, q; }" : "=r"(all) : "r"(odd));
    out[threadIdx.x] = n + 1000 * any + 2000 * all;
}
K ref_counter(const int *in, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> total(out[0]);
    total.fetch_add(in[threadIdx.x], cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> most(out[1]);
    most.fetch_max(in[threadIdx.x]);
}
K ref_chain(const int *in, int *out) // out[0..7] sums, out[8..15] flags
{
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> flag(out[8 + blockIdx.x - 1]);
            while (flag.load(cuda::std::memory_order_acquire) == 0) {
            }
            before = out[blockIdx.x - 1];
        }
        out[blockIdx.x] = before + in[blockIdx.x];
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(out[8 + blockIdx.x]);
        mine.store(1, cuda::std::memory_order_release);
    }
}
K ptx_order(const int *in, int *out) // the same with the instructions themselves
{
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            int seen = 0;
            while (seen == 0)
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(&out[8 + blockIdx.x - 1]) : "memory");
            before = out[blockIdx.x - 1];
        }
        out[blockIdx.x] = before + in[blockIdx.x];
        asm volatile("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&out[8 + blockIdx.x]), "r"(1) : "memory");
    }
}
K many_flags(const int *in, int *out) // thousands of locations, each of which hands something over
{
    __shared__ int t[2500];
    for (int i = 0; i < 2500; i++)
        if (threadIdx.x == 0) {
            t[i] = in[i] + 2;
            __threadfence();
            atomicExch(&out[i], 1);
        } else if (threadIdx.x == 32) {
            while (atomicAdd(&out[i], 0) == 0) {
            }
            __threadfence();
            out[i] = t[i];
        }
}
K either_way(const int *in, int *out) // a flag in shared memory, by its own and by its generic address
{
    __shared__ int t, flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        t = in[7];
        cuda::atomic_ref<int, cuda::thread_scope_block>(flag).store(1, cuda::std::memory_order_release);
    } else if (threadIdx.x == 32) {
        int seen = 0;
        while (seen == 0)
            asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"((unsigned)__cvta_generic_to_shared(&flag)) : "memory");
        out[0] = t;
    }
}
K bad_cluster_fence(const int *in, int *out) // a cluster's fence orders nothing between clusters
{
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            int seen = 0;
            while (seen == 0)
                asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(&out[8 + blockIdx.x - 1]) : "memory");
            out[blockIdx.x] = out[blockIdx.x - 1] + 1;
        } else {
            out[0] = in[0];
        }
#if __CUDA_ARCH__ >= 900
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
#else
        __threadfence_block();
#endif
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&out[8 + blockIdx.x]), "r"(1) : "memory");
    }
}
K cluster_ids(const int *in, int *out)
{
#if __CUDA_ARCH__ >= 900
    unsigned rank, n, id, is;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is));
    out[blockIdx.x] = rank + 10 * n + 100 * id + is;
#else
    out[blockIdx.x] = 10 + 100 * blockIdx.x;
#endif
}
K clocks(const int *in, int *out)
{
    long long a = clock64();
    unsigned c = clock();
    int x = in[threadIdx.x] * 3;
    long long b = clock64();
    out[threadIdx.x] = (b > a) + 2 * (c > 0) + 0 * x;
}
K block_cas(const int *in, int *out)
{
    __shared__ unsigned short lock[2];
    __shared__ int total;
    if (threadIdx.x == 0) {
        lock[0] = lock[1] = 0;
        total = 0;
    }
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock[0], (unsigned short)0, (unsigned short)1) == 0) {
            __threadfence_block();
            *(volatile int *)&total = *(volatile int *)&total + in[threadIdx.x];
            __threadfence_block();
            atomicExch((unsigned int *)lock, 0u);
            done = true;
        }
    __syncthreads();
    out[threadIdx.x] = total;
}
K float_max(const int *in, int *out)
{
    int *at = (int *)out;
    float x = in[threadIdx.x] * 0.5f;
    int seen = *(volatile int *)at;
    while (__int_as_float(seen) < x) {
        int now = atomicCAS(at, seen, __float_as_int(x));
        if (now == seen)
            break;
        seen = now;
    }
}
K guide_add(const int *in, int *out) // as CUDA's guide adds doubles: the plain read is checked by the exchange
{
    unsigned long long *at = (unsigned long long *)out, old = *at, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed, __double_as_longlong(in[threadIdx.x] + __longlong_as_double(assumed)));
    } while (assumed != old);
}
K bad_guess(const int *in, int *out) // a plain read that no exchange checks
{
    int seen = out[1];
    atomicCAS(&out[0], seen, in[threadIdx.x]);
    atomicAdd(&out[1], 1);
}
K atomic_halves(const int *in, int *out)
{
    atomicAdd((__half2 *)out, __floats2half2_rn(in[threadIdx.x] & 1, 1.0f));
    atomicAdd((__nv_bfloat162 *)(out + 1), __floats2bfloat162_rn(1.0f, 2.0f));
    atomicAdd((__half *)(out + 2), __float2half(2.0f));
}
K atomic_vectors(const int *in, int *out)
{
#if __CUDA_ARCH__ >= 900
    float2 was = atomicAdd((float2 *)out, make_float2(1.0f, 2.0f));
    atomicAdd((float4 *)(out + 4), make_float4(was.x - was.x + 1.0f, 2.0f, 3.0f, 4.0f));
    asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(out + 8), "r"(0x3c003c00), "r"(0x40003c00) : "memory");
    asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(out + 10), "r"(0x3f803f80), "r"(0x40003f80) : "memory");
#else
    for (int k = 0; k < 2; k++)
        atomicAdd((float *)out + k, k + 1.0f);
    for (int k = 0; k < 4; k++)
        atomicAdd((float *)out + 4 + k, k + 1.0f);
    atomicAdd((__half2 *)(out + 8), __floats2half2_rn(1.0f, 1.0f));
    atomicAdd((__half2 *)(out + 9), __floats2half2_rn(1.0f, 2.0f));
    out[10] = 0x3f803f80, out[11] = 0x40003f80;
#endif
}
K atomic_small(const int *in, int *out) // global additions flush, those in shared memory do not
{
    __shared__ float here;
    float small = __int_as_float(0x00000010 + in[0] * 0);
    if (threadIdx.x == 0) {
        here = 0;
        atomicAdd((float *)out, small);
        atomicAdd(&here, small);
        out[1] = __float_as_int(here);
    }
}
K wrap_counters(const int *in, int *out)
{
    out[1 + threadIdx.x] = 0;
    unsigned ticket = atomicInc((unsigned *)out, 31);
    atomicExch(&out[1 + ticket], 1);
}

// ---- copies

K copies_in_bytes(const int *in, int *out) // a tail of a few bytes, zero behind it
{
    __shared__ __align__(16) unsigned char t[32 * 16];
    unsigned at = (unsigned)__cvta_generic_to_shared(t + threadIdx.x * 16), n = threadIdx.x % 17;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + threadIdx.x * 4), "r"(n) : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum += t[threadIdx.x * 16 + k] * (k + 1);
    out[threadIdx.x] = sum;
}
K copies_staged(const int *in, int *out)
{
    __shared__ __align__(16) int t[3][64];
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&t[i][threadIdx.x * 2], &in[i * 64 + threadIdx.x * 2], 8);
        __pipeline_commit();
    }
    for (int i = 0; i < 6; i++) {
        if (i + 2 < 6)
            __pipeline_memcpy_async(&t[(i + 2) % 3][threadIdx.x * 2], &in[(i + 2) * 64 + threadIdx.x * 2], 8);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncwarp();
        sum += t[i % 3][63 - threadIdx.x] * (i + 1);
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}
K hinted(const int *in, int *out)
{
    int4 v = __ldcs((const int4 *)in + threadIdx.x);
    int w = __ldcg(in + threadIdx.x) + __ldca(in + threadIdx.x) + __ldlu(in + threadIdx.x) + __ldcv(in + threadIdx.x);
    __stcs((int4 *)out + threadIdx.x, make_int4(v.w + w, v.z, v.y, v.x));
    __stwt(out + threadIdx.x * 4 + 1, v.z + 1);
}
K policies(const int *in, int *out)
{
    unsigned long long policy;
    int x;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(x) : "l"(in + threadIdx.x), "l"(policy));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + threadIdx.x));
    asm volatile("st.global.L1::no_allocate.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(out + threadIdx.x), "r"(x + 1), "l"(policy) : "memory");
}
K wide_vectors(const int *in, int *out)
{
#if __CUDA_ARCH__ >= 1000
    int a, b, c, d, e, f, g, h;
    asm volatile("ld.global.v8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d), "=r"(e), "=r"(f), "=r"(g), "=r"(h) : "l"(in + threadIdx.x * 8));
    asm volatile("st.global.v8.b32 [%8], {%0,%1,%2,%3,%4,%5,%6,%7};"
                 ::"r"(h), "r"(g), "r"(f), "r"(e), "r"(d), "r"(c), "r"(b), "r"(a), "l"(out + threadIdx.x * 8) : "memory");
#else
    for (int k = 0; k < 8; k++)
        out[threadIdx.x * 8 + k] = in[threadIdx.x * 8 + 7 - k];
#endif
}

// ---- at fault

K ldg_beside(const int *in, int *out) // a half of each word is read, the other one written
{
    short *halves = (short *)out;
    int t = threadIdx.x, x = __ldg(halves + 2 * t);
    halves[2 * t + 1] = (short)(x + in[t]);
}
K ldg_unchanged(const int *in, int *out) // what is written is there already
{
    int t = threadIdx.x;
    out[t] = in[t] >> 20;
    __syncthreads();
    out[64 + t] = __ldg(out + (t ^ 1)) + in[t];
}

// ---- at fault

K bad_ldg_behind(const int *in, int *out)
{
    int t = threadIdx.x;
    out[t] = in[t] + 1;
    __syncthreads();
    out[64 + t] = __ldg(out + (t ^ 1));
}
K bad_ldg_ahead(const int *in, int *out) // others read it too before it is overwritten
{
    int t = threadIdx.x, x = __ldg(out + t);
    __syncthreads();
    x += out[t ^ 1];
    __syncthreads();
    out[t ^ 1] = x + in[t] + 1;
}
K bad_ldg_byte(const int *in, int *out) // another byte of the word is written last
{
    char *bytes = (char *)out;
    int t = threadIdx.x;
    bytes[4 * t] = (char)(in[t] + 1);
    bytes[4 * t + 1] = (char)(in[t] + 2);
    __syncthreads();
    out[64 + t] = __ldg(bytes + 4 * (t ^ 1));
}
K bad_ldu(const int *in, int *out)
{
    int t = threadIdx.x, x;
    out[t] = in[t] + 1;
    __syncthreads();
    asm volatile("ldu.global.u32 %0, [%1];" : "=r"(x) : "l"(out + (t ^ 1)));
    out[64 + t] = x;
}
K bad_assert(const int *in, int *out)
{
    assert(in[threadIdx.x] != in[3]);
    out[threadIdx.x] = 1;
}
K bad_mask(const int *in, int *out) // asks for lanes it is not of
{
    int x = in[threadIdx.x];
    if (threadIdx.x < 16)
        x = __shfl_sync(0xffff0000, x, 20);
    out[threadIdx.x] = x;
}

// ---- not supported: said so, with the line

K un_lop3(const int *in, int *out)
{
    unsigned d;
    asm("{ .reg .pred p, q; setp.eq.u32 q, %1, 0; lop3.or.b32 %0|p, %1, %1, 0, 0xc0, q; @p add.u32 %0, %0, 1; }" : "=r"(d) : "r"(in[0]));
    out[0] = d;
}
K un_printf(const int *in, int *out)
{
    printf("%d\n", in[0]);
}
K un_malloc(const int *in, int *out)
{
    int *p = (int *)malloc(16);
    p[threadIdx.x & 3] = 1;
    out[threadIdx.x] = p[threadIdx.x & 3];
}
K un_texture(cudaTextureObject_t in, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(in, threadIdx.x);
}
#if __CUDA_ARCH__ >= 900
K __cluster_dims__(2, 1, 1) un_cluster(const int *in, int *out)
{
    unsigned n;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    out[blockIdx.x] = n;
}
K un_multimem(const int *in, int *out)
{
    asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(out), "r"(1) : "memory");
}
K un_bulk(const int *in, int *out)
{
    __shared__ __align__(16) int t[4];
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(out), "r"((unsigned)__cvta_generic_to_shared(t)) : "memory");
}
K un_async_store(const int *in, int *out)
{
    __shared__ int t[4];
    unsigned a = (unsigned)__cvta_generic_to_shared(t), b;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(b) : "r"(a));
    out[0] = b;
}
#endif
