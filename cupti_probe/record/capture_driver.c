#include "capture_driver.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#define MOST_CONTEXTS 16

static struct {
    CUresult (*func_param)(CUfunction, size_t, size_t *, size_t *);
    CUresult (*kernel_param)(CUkernel, size_t, size_t *, size_t *);
    CUresult (*range)(CUdeviceptr *, size_t *, CUdeviceptr);
    CUresult (*capturing)(CUstream, CUstreamCaptureStatus *);
    CUresult (*query)(CUstream);
    CUresult (*stream)(CUstream *, unsigned);
    CUresult (*copy)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
    CUresult (*mode)(CUstreamCaptureMode *);
    CUresult (*host)(void **, size_t, unsigned);
} cu;

bool capture_driver_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    const struct {
        const char *name;
        void *entry;
    } entries[] = {{"cuFuncGetParamInfo", &cu.func_param}, {"cuKernelGetParamInfo", &cu.kernel_param},
                   {"cuMemGetAddressRange_v2", &cu.range}, {"cuStreamIsCapturing", &cu.capturing},
                   {"cuStreamQuery", &cu.query},           {"cuStreamCreate", &cu.stream},
                   {"cuMemcpyAsync", &cu.copy}, {"cuThreadExchangeStreamCaptureMode", &cu.mode},
                   {"cuMemHostAlloc", &cu.host}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *found = library != NULL ? dlsym(library, entries[i].name) : NULL;
        if (found == NULL)
            return false;
        memcpy(entries[i].entry, &found, sizeof found);
    }
    return true;
}

// In CU_LAUNCH_PARAM_BUFFER_POINTER's form all parameters lie in one block.
static const unsigned char *block_of(void **extra, size_t *size)
{
    const unsigned char *block = NULL;
    *size = 0;
    for (; extra != NULL && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            block = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            *size = *(const size_t *)extra[1];
        else
            return NULL;
    }
    return block;
}

static bool read_params(const struct capture_call *call, struct capture_args *args)
{
    size_t block_size;
    const unsigned char *block = block_of(call->extra, &block_size);
    for (size_t i = 0;; i++) {
        size_t offset = 0, size = 0;
        CUresult result = cu.func_param(call->function, i, &offset, &size);
        if (result == CUDA_ERROR_INVALID_HANDLE) // the runtime's launches have a CUkernel here
            result = cu.kernel_param((CUkernel)(void *)call->function, i, &offset, &size);
        if (result == CUDA_ERROR_INVALID_VALUE) // past the last
            return true;
        const unsigned char *bytes = call->params != NULL ? call->params[i]
                                     : block != NULL && offset + size <= block_size ? block + offset
                                                                                     : NULL;
        if (result != CUDA_SUCCESS || i == CAPTURE_PARAMS || bytes == NULL)
            return false;
        args->params[args->n_params++] = (struct capture_param){offset, size, bytes};
    }
}

// The allocation that an address lies in; SIZE_MAX: in none.
static size_t allocation_of(struct capture_args *args, CUdeviceptr at)
{
    CUdeviceptr base;
    size_t size;
    if (at == 0 || cu.range(&base, &size, at) != CUDA_SUCCESS || size == 0)
        return SIZE_MAX;
    for (size_t i = 0; i < args->n_allocations; i++)
        if (args->allocations[i].base == base)
            return i;
    args->allocations[args->n_allocations] = (struct capture_allocation){.base = base, .size = size};
    return args->n_allocations++;
}

bool capture_read_args(const struct capture_call *call, struct capture_args *args)
{
    args->n_params = args->n_pointers = args->n_allocations = 0;
    if (!read_params(call, args))
        return false;
    for (size_t p = 0; p < args->n_params; p++) {
        const struct capture_param *param = &args->params[p];
        for (size_t at = 0; at + 8 <= param->size; at += 8) { // of a struct by value any word may point
            CUdeviceptr word;
            if (param->offset % 8 != 0)
                break;
            memcpy(&word, param->bytes + at, sizeof word);
            size_t found = allocation_of(args, word);
            if (found == SIZE_MAX)
                continue;
            args->pointers[args->n_pointers++] = (struct capture_pointer){
                p, at, found, (size_t)(word - args->allocations[found].base)};
            if (args->n_pointers == CAPTURE_POINTERS)
                return false;
        }
    }
    return true;
}

bool capture_in_graph(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return cu.capturing(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static bool wait_relaxed(CUstream stream, int seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        CUresult result = cu.query(stream);
        if (result != CUDA_ERROR_NOT_READY)
            return result == CUDA_SUCCESS;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - begin.tv_sec > seconds)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

bool capture_wait(CUstream stream, int seconds)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    cu.mode(&mode);
    bool done = wait_relaxed(stream, seconds);
    cu.mode(&mode);
    return done;
}

// What copies go through in one context.
static struct lane {
    CUcontext of;
    CUstream stream; // NULL: unused
    void *pieces[2]; // locked in memory, which copies five times as fast
} lanes[MOST_CONTEXTS];

static struct lane *lane_of(CUcontext context)
{
    struct lane *unused = NULL;
    for (size_t i = 0; i < MOST_CONTEXTS; i++)
        if (lanes[i].stream == NULL)
            unused = unused == NULL ? &lanes[i] : unused;
        else if (lanes[i].of == context)
            return &lanes[i];
    struct lane fresh = {.of = context};
    if (unused == NULL)
        return NULL;
    if (cu.stream(&fresh.stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
        cu.host(&fresh.pieces[0], CAPTURE_PIECE, 0) != CUDA_SUCCESS ||
        cu.host(&fresh.pieces[1], CAPTURE_PIECE, 0) != CUDA_SUCCESS)
        return NULL;
    *unused = fresh;
    return unused;
}

void capture_driver_gone(CUcontext context)
{
    for (size_t i = 0; i < MOST_CONTEXTS; i++)
        if (context == NULL || lanes[i].of == context)
            lanes[i] = (struct lane){0};
}

static size_t piece_at(size_t at, size_t n)
{
    return n - at < CAPTURE_PIECE ? n - at : CAPTURE_PIECE;
}

static bool copy_relaxed(struct lane *lane, CUdeviceptr from, size_t n,
                         bool (*take)(void *, size_t, const void *, size_t), void *to)
{
    int turn = 0;
    if (cu.copy((CUdeviceptr)(uintptr_t)lane->pieces[0], from, piece_at(0, n), lane->stream) != CUDA_SUCCESS)
        return false;
    for (size_t at = 0; at < n; at += CAPTURE_PIECE, turn = !turn) {
        size_t next = at + CAPTURE_PIECE;
        if (!wait_relaxed(lane->stream, 60) ||
            (next < n && cu.copy((CUdeviceptr)(uintptr_t)lane->pieces[!turn], from + next, piece_at(next, n),
                                 lane->stream) != CUDA_SUCCESS))
            return false;
        if (!take(to, at, lane->pieces[turn], piece_at(at, n))) {
            wait_relaxed(lane->stream, 60); // the one under way writes into a piece
            return false;
        }
    }
    return true;
}

bool capture_copy(CUcontext context, CUdeviceptr from, size_t n,
                  bool (*take)(void *to, size_t at, const void *bytes, size_t n), void *to)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    cu.mode(&mode);
    struct lane *lane = lane_of(context);
    bool ok = lane != NULL && copy_relaxed(lane, from, n, take, to);
    cu.mode(&mode);
    return ok;
}
