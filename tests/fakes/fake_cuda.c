#include "fake_cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MOST 256

static struct {
    char *at;
    size_t size;
} memory[MOST];
static size_t n_memory;
#define FIRST_STREAM ((uintptr_t)1000)
static CUcontext stream_of[MOST]; // by stream, from FIRST_STREAM on
static uint64_t now = 1000, next_graph;
static void (*tell_kernel)(const CUpti_ActivityKernel10 *);
static void (*tell_driver)(uint32_t, int, const void *, const char *, CUcontext);
static CUcontext current;

static void find_cupti(void)
{
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (cupti == NULL)
        return;
    *(void **)&tell_kernel = dlsym(cupti, "fake_cupti_kernel");
    *(void **)&tell_driver = dlsym(cupti, "fake_cupti_driver");
}

EXPORT CUresult cuInit(unsigned int flags)
{
    static bool done;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    (void)flags;
    if (done)
        return CUDA_SUCCESS;
    done = true;
    void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
    int (*begin)(void) = NULL;
    if (library != NULL)
        *(void **)&begin = dlsym(library, "InitializeInjection");
    if (path != NULL && (begin == NULL || begin() != 1))
        return CUDA_ERROR_UNKNOWN;
    find_cupti();
    return CUDA_SUCCESS;
}

EXPORT CUfunction fake_cuda_function(const char *name, const size_t *offsets, const size_t *sizes, size_t n,
                                     fake_kernel *run)
{
    struct fake_function *f = calloc(1, sizeof *f);
    f->name = name;
    f->n = n;
    f->run = run;
    memcpy(f->offsets, offsets, n * sizeof *offsets);
    memcpy(f->sizes, sizes, n * sizeof *sizes);
    return (CUfunction)f;
}

// ---- memory

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t n)
{
    char *at = aligned_alloc(256, (n + 255) / 256 * 256);
    if (at == NULL || n_memory == MOST)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memory[n_memory].at = at;
    memory[n_memory++].size = n;
    *out = (CUdeviceptr)(uintptr_t)at;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr at)
{
    for (size_t i = 0; i < n_memory; i++)
        if (at >= (CUdeviceptr)(uintptr_t)memory[i].at &&
            at < (CUdeviceptr)(uintptr_t)memory[i].at + memory[i].size) {
            *base = (CUdeviceptr)(uintptr_t)memory[i].at;
            *size = memory[i].size;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n)
{
    memcpy((void *)(uintptr_t)to, from, n);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n)
{
    memcpy(to, (void *)(uintptr_t)from, n);
    return CUDA_SUCCESS;
}

// A stream of another context, or of one that is gone, copies nothing.
EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream)
{
    if ((uintptr_t)stream >= FIRST_STREAM && stream_of[(uintptr_t)stream - FIRST_STREAM] != current)
        return CUDA_ERROR_INVALID_HANDLE;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
    return CUDA_SUCCESS;
}

// Memory that is locked is not plenty.
EXPORT CUresult cuMemHostAlloc(void **at, size_t n, unsigned flags)
{
    static int left = 8;
    (void)flags;
    *at = left-- > 0 ? malloc(n) : NULL;
    return *at != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

// ---- streams: nothing is ever under way, but on stream 97

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    static uintptr_t n;
    (void)flags;
    stream_of[n] = current;
    *stream = (CUstream)(FIRST_STREAM + n++); // NOLINT
    return n < MOST ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    current = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
    const cuCtxDestroy_v2_params p = {context};
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2, true, &p, NULL);
    for (size_t i = 0; i < MOST; i++)
        if (stream_of[i] == context)
            stream_of[i] = (CUcontext)(uintptr_t)-1; // NOLINT
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamQuery(CUstream stream)
{
    return (uintptr_t)stream == 97 ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    static __thread CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
    CUstreamCaptureMode before = own;
    own = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    *status = (uintptr_t)stream == 99 ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

// ---- functions and launches

// As the real driver refuses what the runtime's launches have for a handle.
EXPORT CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size)
{
    (void)f, (void)i, (void)offset, (void)size;
    return CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t i, size_t *offset, size_t *size)
{
    const struct fake_function *f = (const struct fake_function *)(void *)kernel;
    if (i >= f->n)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = f->offsets[i];
    if (size != NULL)
        *size = f->sizes[i];
    return CUDA_SUCCESS;
}

void fake_record(const struct fake_function *f, const cuLaunchKernel_params *p, bool graph)
{
    CUpti_ActivityKernel10 k = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .name = f->name,
                                .registersPerThread = 16, .start = now, .end = now + 500 * p->gridDimX};
    k.gridX = (int)p->gridDimX, k.gridY = (int)p->gridDimY, k.gridZ = (int)p->gridDimZ;
    k.blockX = (int)p->blockDimX, k.blockY = (int)p->blockDimY, k.blockZ = (int)p->blockDimZ;
    k.clusterX = k.clusterY = k.clusterZ = 1;
    k.dynamicSharedMemory = (int)p->sharedMemBytes;
    k.streamId = (uint32_t)(uintptr_t)p->hStream;
    k.contextId = k.deviceId = (uint32_t)(uintptr_t)current; // each has a device of its own
    k.graphNodeId = graph ? ++next_graph : 0;
    now = k.end + 100;
    if (tell_kernel != NULL)
        tell_kernel(&k);
}

void fake_call(uint32_t id, bool enter, const void *params, const char *symbol)
{
    if (tell_driver != NULL)
        tell_driver(id, enter, params, symbol, current);
}

// On stream 99 a launch is recorded into a graph that nobody has.
static CUresult launch(uint32_t id, const cuLaunchKernel_params *p)
{
    const struct fake_function *f = (const struct fake_function *)(void *)p->f;
    fake_call(id, true, p, f->name);
    if (f->run != NULL && (uintptr_t)p->hStream != 99)
        f->run(p->kernelParams);
    if ((uintptr_t)p->hStream != 99)
        fake_record(f, p, (uintptr_t)p->hStream == 98); // stands for a graph's nodes
    fake_call(id, false, p, f->name);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, CUstream stream, void **args,
                               void **extra)
{
    const cuLaunchKernel_params p = {function, gx, gy, gz, bx, by, bz, shared, stream, args, extra};
    return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &p);
}

// Its parameters begin like those of cuLaunchKernel.
EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, CUstream stream, void **args)
{
    const cuLaunchKernel_params p = {function, gx, gy, gz, bx, by, bz, shared, stream, args, NULL};
    return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &p);
}

EXPORT CUresult cuFuncGetName(const char **name, CUfunction function)
{
    *name = ((const struct fake_function *)(void *)function)->name;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    (void)device;
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2, true, NULL, NULL);
    return CUDA_SUCCESS;
}
