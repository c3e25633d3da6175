// The `cuda` device's state, shared by its own files only: cuda_device.c (context, modules),
// cuda_memory.c (fenced buffers), cuda_run.c (plans), cuda_time.c (samples), cuda_trusted.c.
#ifndef KS_CUDA_DEVICE_H
#define KS_CUDA_DEVICE_H

#include "base/rng.h"
#include "base/vec.h"
#include "device/cuda_api.h"
#include "device/device.h"

#define KS_CUDA_MAX_ARGS 256
#define KS_CUDA_STAMPS 1024  // SM numbers that ks_stamp can hold
#define KS_CUDA_RESULTS 8192 // 64-bit words

struct ks_cuda_buffer {
    CUdeviceptr reserved; size_t reserved_bytes; // address range, fences included
    CUdeviceptr mapped; size_t mapped_bytes;     // what is accessible
    CUmemGenericAllocationHandle memory;
    CUdeviceptr data; size_t bytes;              // what the kernel is given
    uint32_t canary;                             // pattern of the rest of the mapping
};

struct ks_cuda_function {
    CUfunction handle;
    const char *name;
    int max_threads, static_shared;
    unsigned shared_allowed; // dynamic bytes that need no further attribute
    bool params_known;       // the driver told the parameters' sizes
    size_t *param_sizes; size_t n_params;
};

struct ks_cuda_graph {
    const struct ks_dev_plan *plans; size_t n_plans;
    int batch;
    CUgraphExec exec;
};

struct ks_cuda_trusted {
    CUmodule module;
    CUfunction poison, canary, check, fingerprint, gather, generate, scrub, stamp, spin, copy, fma;
};

struct ks_cuda {
    struct ks_cuda_api api;
    struct ks_arena arena; // functions
    CUdevice device;
    CUcontext context;
    CUstream stream; // the only one but for what is beside a run: everything happens in order
    CUstream aside;  // made when it is first used
    CUevent begin, end;
    struct ks_device_info facts;
    size_t granularity;
    struct ks_cuda_trusted trusted;
    KS_VEC(CUmodule) modules;
    KS_VEC(struct ks_cuda_buffer) buffers;
    KS_VEC(struct ks_cuda_buffer) kept; // mappings of earlier buffers, out of reach until they are used again
    size_t kept_bytes;
    KS_VEC(struct ks_cuda_graph) graphs;
    // Results of trusted kernels: KS_CUDA_RESULTS words, then two arrays of KS_CUDA_STAMPS pairs.
    struct ks_cuda_buffer scratch;
    struct ks_cuda_buffer flush; // overwritten to empty L2; made at the first cold sample
    unsigned char flush_value;
    double spin_us;
    struct ks_rng rng;
    bool spoilt;
    char spoilt_text[512];
};

// KS_OK for CUDA_SUCCESS. KS_E_LIMIT: out of memory; KS_E_UNSUPPORTED; else KS_E_DEVICE, after which
// the device is spoilt and every ks_cuda_ready fails with the same text.
enum ks_status ks_cuda_check(struct ks_cuda *cuda, CUresult result, const char *call,
                             struct ks_err *err);
enum ks_status ks_cuda_ready(const struct ks_cuda *cuda, struct ks_err *err);
// Whether the context is dead after this result (the sticky errors of cuda.h).
bool ks_cuda_sticky(CUresult result);
// "CUDA_ERROR_X (text)"
void ks_cuda_describe(const struct ks_cuda *cuda, CUresult result, char *out, size_t size);
#define KS_CU(cuda, name, ...)                                                                    \
    KS_TRY(ks_cuda_check((cuda), (cuda)->api.name(__VA_ARGS__), "cu" #name, err))

// cuda_memory.c. A failed map leaves nothing behind.
enum ks_status ks_cuda_map(struct ks_cuda *cuda, int64_t bytes, size_t align, enum ks_flush flush,
                           struct ks_cuda_buffer *buffer, struct ks_err *err);
enum ks_status ks_cuda_unmap(struct ks_cuda *cuda, struct ks_cuda_buffer *buffer,
                             struct ks_err *err);
void ks_cuda_unmap_kept(struct ks_cuda *cuda);
enum ks_status ks_cuda_buffer_at(struct ks_cuda *cuda, size_t index, struct ks_cuda_buffer **buffer,
                                 struct ks_err *err);
enum ks_status ks_cuda_alloc(void *self, int64_t bytes, size_t align, enum ks_flush flush,
                             size_t *buffer, struct ks_dev_buffer *out, struct ks_err *err);
enum ks_status ks_cuda_free_all(void *self, struct ks_err *err);
enum ks_status ks_cuda_freeze(void *self, size_t buffer, struct ks_err *err);
enum ks_status ks_cuda_write(void *self, size_t buffer, int64_t to, const void *data, int64_t n,
                             struct ks_err *err);
enum ks_status ks_cuda_read(void *self, size_t buffer, int64_t from, void *data, int64_t n, struct ks_err *err);
enum ks_status ks_cuda_copy(void *self, size_t to, size_t from, struct ks_err *err);

// cuda_trusted.c. `load` comes once, after the stream exists.
enum ks_status ks_cuda_trusted_load(struct ks_cuda *cuda, struct ks_err *err);
// Reads n bytes, for the caches' sake. Enqueues.
enum ks_status ks_cuda_read_through(struct ks_cuda *cuda, CUdeviceptr at, size_t n, struct ks_err *err);
enum ks_status ks_cuda_canary(struct ks_cuda *cuda, CUdeviceptr at, size_t n, uint32_t word,
                              struct ks_err *err);
enum ks_status ks_cuda_poison(void *self, size_t buffer, uint32_t word, struct ks_err *err);
enum ks_status ks_cuda_check_slack(void *self, struct ks_dev_damage *damage, struct ks_err *err);
enum ks_status ks_cuda_fingerprints(void *self, const size_t *buffers, size_t n, uint64_t *out,
                                    struct ks_err *err);
enum ks_status ks_cuda_gather(void *self, size_t buffer, size_t size, const int64_t *places, size_t n, void *data,
                              struct ks_err *err);
enum ks_status ks_cuda_generate(void *self, size_t buffer, const struct ks_filling *filling, struct ks_err *err);
enum ks_status ks_cuda_scrub(void *self, uint32_t word, struct ks_err *err);
enum ks_status ks_cuda_crowd(void *self, double microseconds, struct ks_err *err);
enum ks_status ks_cuda_crowd_ends(struct ks_cuda *cuda, struct ks_err *err);
enum ks_status ks_cuda_spin(struct ks_cuda *cuda, double microseconds, struct ks_err *err);
// Enqueues clearing of both stamp arrays; a stamp into array 0 or 1; the clock between them (MHz).
enum ks_status ks_cuda_stamp_clear(struct ks_cuda *cuda, struct ks_err *err);
enum ks_status ks_cuda_stamp(struct ks_cuda *cuda, int which, struct ks_err *err);
enum ks_status ks_cuda_stamp_clock(struct ks_cuda *cuda, double *mhz, struct ks_err *err);
enum ks_status ks_cuda_ceilings(void *self, double *copy_gbs, double *fma_gflops,
                                struct ks_err *err);

// cuda_run.c
enum ks_status ks_cuda_module(void *self, struct ks_slice cubin, void **module, struct ks_err *err);
enum ks_status ks_cuda_function(void *self, void *module, const char *name, void **function,
                                json_t **facts, struct ks_err *err);
// Enqueues the steps. KS_E_LIMIT: a launch was refused.
enum ks_status ks_cuda_enqueue(struct ks_cuda *cuda, const struct ks_dev_plan *plan,
                               struct ks_err *err);
// Waits for the stream; a fault is said to be one of `plan`.
enum ks_status ks_cuda_wait(struct ks_cuda *cuda, const struct ks_dev_plan *plan,
                            struct ks_err *err);
enum ks_status ks_cuda_run(void *self, const struct ks_dev_plan *plan, double *microseconds,
                           struct ks_err *err);

// cuda_time.c
enum ks_status ks_cuda_clean_cache(void *self, struct ks_err *err);
enum ks_status ks_cuda_time(void *self, const struct ks_dev_timing *timing,
                            struct ks_dev_sample *sample, struct ks_err *err);
void ks_cuda_forget_plans(void *self);

#endif
