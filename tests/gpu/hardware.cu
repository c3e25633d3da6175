// What this GPU does where the judge's defences rest on it (docs/judging.md, "What the hardware does"):
// mappings that forbid writing, fences under each way of loading, lines that ask to stay in L2, and host
// memory seen from the device. Prints one answer a line; judges nothing. Exit 77 without a GPU.
//   nvcc -std=c++17 -arch=native hardware.cu -o hardware && ./hardware
// Each question runs in a process of its own: a fault spoils the context.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER(name) ((decltype(&name))entry(#name))
static void *entry(const char *name)
{
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault, &found);
    if (f == nullptr || found != cudaDriverEntryPointSuccess) {
        printf("the driver has no %s\n", name);
        exit(3);
    }
    return f;
}

static const char *told(CUresult r)
{
    const char *text = "?";
    DRIVER(cuGetErrorName)(r, &text);
    return text;
}

// A mapping of one granule with an unmapped one behind it; `access` for the device.
static CUdeviceptr fenced(size_t *granule, CUmemAccess_flags access, CUresult *refused)
{
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUdeviceptr p = 0;
    CUmemGenericAllocationHandle handle;
    cudaFree(0);
    DRIVER(cuMemGetAllocationGranularity)(granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    DRIVER(cuMemAddressReserve)(&p, 2 * *granule, 0, 0, 0);
    DRIVER(cuMemCreate)(&handle, *granule, &prop, 0);
    DRIVER(cuMemMap)(p, *granule, 0, handle, 0);
    CUmemAccessDesc desc = {prop.location, access};
    *refused = DRIVER(cuMemSetAccess)(p, *granule, &desc, 1);
    return p;
}

__global__ void store(float *p) { *p = 1; }
__global__ void load(const float *p, float *out) { out[0] = *p; }
__global__ void load4(const float4 *p, float *out) { out[0] = p->x; }
__global__ void load_readonly(const float *p, float *out) { out[0] = __ldg(p); }
__global__ void load_wide(const float *p, float *out) // asks for the rest of 256 bytes as well
{
    asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(out[0]) : "l"(p));
}
__global__ void prefetch(const float *p, float *out)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
    out[0] = 1;
}
__global__ void add(float *p) { atomicAdd(p, 1.f); }
__global__ void copy_async(const float4 *p, float *out)
{
#if __CUDA_ARCH__ >= 800
    __shared__ float4 s;
    unsigned to = (unsigned)__cvta_generic_to_shared(&s);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.wait_all;" ::"r"(to), "l"(p) : "memory");
    out[0] = s.x;
#endif
}
__global__ void copy_bulk(const char *p, unsigned bytes, float *out) // the engine that TMA uses
{
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(16) float s[64];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned to = (unsigned)__cvta_generic_to_shared(s), b = (unsigned)__cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(p), "r"(bytes), "r"(b) : "memory");
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(b) : "memory");
    out[0] = s[0];
#endif
}

static float *word()
{
    float *p;
    cudaMalloc(&p, 4);
    return p;
}

static const char *end_of_run() { return cudaGetErrorName(cudaDeviceSynchronize()); }

static void read_only()
{
    size_t granule;
    CUresult r;
    CUdeviceptr p = fenced(&granule, CU_MEM_ACCESS_FLAGS_PROT_READ, &r);
    printf("read-only mapping of device memory: cuMemSetAccess says %s", told(r));
    if (r == CUDA_SUCCESS) {
        store<<<1, 1>>>((float *)p);
        printf(", a store ends with %s", end_of_run());
    }
    printf("\n");
}

// Each loads right at the end of the mapping (`inside` 0) or the last that lies inside it.
static void at_fence(int which, bool inside)
{
    static const char *const names[] = {"4-byte load", "16-byte load", "read-only 4-byte load",
                                        "4-byte load with a 256-byte hint", "prefetch", "atomic addition",
                                        "cp.async of 16 bytes", "cp.async.bulk of 64 bytes",
                                        "cp.async.bulk of 64 bytes, the last 16 outside", "4-byte store"};
    size_t granule;
    CUresult r;
    char *end = (char *)fenced(&granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, &r) + granule;
    float *out = word();
    const int sizes[] = {4, 16, 4, 4, 4, 4, 16, 64, 64, 4};
    char *p = inside ? end - sizes[which] : which == 8 ? end - 48 : end;
    switch (which) {
    case 0: load<<<1, 1>>>((float *)p, out); break;
    case 1: load4<<<1, 1>>>((float4 *)p, out); break;
    case 2: load_readonly<<<1, 1>>>((float *)p, out); break;
    case 3: load_wide<<<1, 1>>>((float *)p, out); break;
    case 4: prefetch<<<1, 1>>>((float *)p, out); break;
    case 5: add<<<1, 1>>>((float *)p); break;
    case 6: copy_async<<<1, 1>>>((float4 *)p, out); break;
    case 7: case 8: copy_bulk<<<1, 1>>>(p, 64, out); break;
    case 9: store<<<1, 1>>>((float *)p); break;
    }
    printf("fence, %s %s: %s\n", names[which], inside ? "inside" : "behind the end", end_of_run());
}

__global__ void read_normal(const float4 *p, size_t n, float *out)
{
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += p[i].x;
    if (s == 12345)
        *out = s;
}
__global__ void read_keeping(const float4 *p, size_t n, float *out)
{
    float s = 0;
#if __CUDA_ARCH__ >= 800
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float x, y, z, w;
        asm volatile("ld.global.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;"
                     : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p + i), "l"(policy));
        s += x + y + z + w;
    }
#endif
    if (s == 12345)
        *out = s;
}

static float timed_read(const float4 *p, size_t n, float *out)
{
    cudaEvent_t a, b;
    float ms;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    read_normal<<<1056, 256>>>(p, n, out);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    return 1000 * ms;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// How long reading 16 MiB takes that were read before, with and without evict_last, and then overwritten
// by so many L2s of zeros.
static void survival()
{
    int l2;
    const size_t bytes = 16 << 20, n = bytes / sizeof(float4);
    cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
    float4 *data;
    char *flush;
    float *out = word();
    cudaMalloc(&data, bytes);
    cudaMalloc(&flush, (size_t)l2 * 8);
    cudaMemset(data, 0, bytes);
    for (int keep = 0; keep < 2; keep++)
        for (int times : {0, 1, 2, 3, 4, 6, 8})
            for (int reset = 0; reset < (keep ? 2 : 1); reset++) {
                float us[15];
                for (float &t : us) {
                    if (keep)
                        read_keeping<<<1056, 256>>>(data, n, out);
                    else
                        read_normal<<<1056, 256>>>(data, n, out);
                    if (reset)
                        cudaCtxResetPersistingL2Cache();
                    if (times > 0)
                        cudaMemset(flush, 1, (size_t)times * l2);
                    cudaDeviceSynchronize();
                    t = timed_read(data, n, out);
                }
                qsort(us, 15, sizeof *us, by_value);
                printf("16 MiB read %s, then %d x L2 (%d MB) overwritten%s: read again in %.1f us\n",
                       keep ? "with evict_last" : "plainly", times, l2 >> 20,
                       reset ? ", persisting lines reset" : "", us[7]);
            }
}

static void host_memory()
{
    int access, tables;
    cudaDeviceGetAttribute(&access, cudaDevAttrPageableMemoryAccess, 0);
    cudaDeviceGetAttribute(&tables, cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0);
    float *host = (float *)malloc(4), *out = word(), back = 0;
    *host = 42;
    load<<<1, 1>>>(host, out);
    const char *end = end_of_run();
    cudaMemcpy(&back, out, 4, cudaMemcpyDeviceToHost);
    printf("host memory: pageable access %d, host page tables %d; a load from malloc ends with %s%s\n", access,
           tables, end, back == 42 ? " and the value" : "");
}

// What the driver itself leaves: words other than zero in new device memory.
static void fresh_memory()
{
    const size_t n = 64 << 20;
    unsigned *p, *host = (unsigned *)malloc(n);
    size_t other = 0;
    cudaMalloc(&p, n);
    cudaMemset(p, 0x5a, n);
    cudaFree(p);
    cudaMalloc(&p, n);
    cudaMemcpy(host, p, n, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n / 4; i++)
        other += host[i] == 0x5a5a5a5au;
    printf("new memory of the same process: %zu of %zu words are what was freed\n", other, n / 4);
}

static void ask(int question)
{
    if (question == 0)
        read_only();
    else if (question <= 20)
        at_fence((question - 1) / 2, question % 2 == 1);
    else if (question == 21)
        survival();
    else if (question == 22)
        host_memory();
    else
        fresh_memory();
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        ask(atoi(argv[1]));
        return 0;
    }
    for (int q = 0; q <= 23; q++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            char text[16];
            int n;
            snprintf(text, sizeof text, "%d", q);
            if (q == 0 && (cudaGetDeviceCount(&n) != cudaSuccess || n == 0))
                _exit(77);
            alarm(20);
            execl("/proc/self/exe", argv[0], text, (char *)nullptr);
            _exit(2);
        }
        int status;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
            printf("no GPU here: skipped\n");
            return 77;
        }
        if (WIFSIGNALED(status))
            printf("question %d: ended by signal %d\n", q, WTERMSIG(status));
    }
    return 0;
}
