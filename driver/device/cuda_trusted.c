// Launches of our own device code (trusted.cu): poison, canaries, fingerprints, scrubbing, clock
// stamps, the spin that hides launch latency, and the kernels behind the measured ceilings.

#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "device/cuda_device.h"

extern const unsigned char ks_trusted_code[];

#define THREADS 256
#define CROWD_LEAD_US 10.0 // until blocks beside a run have begun

enum ks_status ks_cuda_trusted_load(struct ks_cuda *cuda, struct ks_err *err)
{
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    struct ks_cuda_trusted *t = &cuda->trusted;
    CUresult result = cuda->api.ModuleLoadDataEx(&t->module, ks_trusted_code, 2, options, values);
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the NVIDIA driver (%s) is older than the CUDA toolkit "
                                       "that ks was built with; update the driver",
                cuda->facts.driver);
    if (result != CUDA_SUCCESS)
        return ks_cuda_check(cuda, result, log[0] ? log : "cuModuleLoadDataEx (trusted code)", err);
    CUmodule *slot = ks_vec_push(&cuda->arena, &cuda->modules);
    *slot = t->module;
    const struct {
        CUfunction *to;
        const char *name;
    } all[] = {{&t->poison, "ks_poison"}, {&t->canary, "ks_canary"}, {&t->check, "ks_check"}, {&t->scrub, "ks_scrub"},
               {&t->fingerprint, "ks_fingerprint"}, {&t->gather, "ks_gather"},
               {&t->generate, "ks_generate"}, {&t->stamp, "ks_stamp"},
               {&t->spin, "ks_spin"}, {&t->copy, "ks_copy"}, {&t->fma, "ks_fma"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        KS_CU(cuda, ModuleGetFunction, all[i].to, t->module, all[i].name);
        if (cuda->api.FuncLoad != NULL)
            KS_CU(cuda, FuncLoad, *all[i].to);
    }
    const CUfunction whole[] = {t->scrub, t->spin}; // blocks that a multiprocessor has no room beside
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        KS_CU(cuda, FuncSetAttribute, whole[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, cuda->facts.smem_optin);
    return KS_OK;
}

static enum ks_status launch(struct ks_cuda *cuda, CUfunction function, size_t blocks,
                             unsigned threads, unsigned shared, void **params, struct ks_err *err)
{
    KS_CU(cuda, LaunchKernel, function, (unsigned)blocks, 1, 1, threads, 1, 1, shared, cuda->stream,
          params, NULL);
    return KS_OK;
}

// Blocks for a loop over n bytes, eight a thread and step: enough to fill the device.
static size_t blocks_for(const struct ks_cuda *cuda, size_t n)
{
    size_t wanted = n / 8 / THREADS + 1, most = 8 * (size_t)cuda->facts.sms;
    return wanted < most ? wanted : most;
}

static enum ks_status fill(struct ks_cuda *cuda, CUfunction function, CUdeviceptr at, size_t n,
                           uint32_t word, struct ks_err *err)
{
    unsigned long long bytes = n;
    void *params[] = {&at, &bytes, &word};
    if (n == 0)
        return KS_OK;
    return launch(cuda, function, blocks_for(cuda, n), THREADS, 0, params, err);
}

enum ks_status ks_cuda_canary(struct ks_cuda *cuda, CUdeviceptr at, size_t n, uint32_t word,
                              struct ks_err *err)
{
    return fill(cuda, cuda->trusted.canary, at, n, word, err);
}

enum ks_status ks_cuda_poison(void *self, size_t buffer, uint32_t word, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    struct ks_cuda_buffer *b = NULL;
    KS_TRY(ks_cuda_buffer_at(cuda, buffer, &b, err));
    return fill(cuda, cuda->trusted.poison, b->data, b->bytes, word, err);
}

// ---- canaries

// Two regions a buffer: before and after the data. Word r of the scratch area counts the bad bytes of
// region r, word REGIONS + r holds the offset of the first.
#define REGIONS ((size_t)KS_CUDA_RESULTS / 2)

static enum ks_status check_region(struct ks_cuda *cuda, CUdeviceptr at, size_t n, uint32_t word,
                                   size_t region, struct ks_err *err)
{
    unsigned long long bytes = n;
    CUdeviceptr bad = cuda->scratch.data + 8 * region, first = bad + 8 * REGIONS;
    void *params[] = {&at, &bytes, &word, &bad, &first};
    if (n == 0)
        return KS_OK;
    return launch(cuda, cuda->trusted.check, blocks_for(cuda, n), THREADS, 0, params, err);
}

static enum ks_status check_some(struct ks_cuda *cuda, size_t from, size_t to,
                                 struct ks_dev_damage *damage, struct ks_err *err)
{
    static uint64_t results[KS_CUDA_RESULTS];
    KS_CU(cuda, MemsetD8Async, cuda->scratch.data, 0, 8 * REGIONS, cuda->stream);
    KS_CU(cuda, MemsetD8Async, cuda->scratch.data + 8 * REGIONS, 0xff, 8 * REGIONS, cuda->stream);
    for (size_t i = from; i < to; i++) {
        const struct ks_cuda_buffer *b = &cuda->buffers.at[i];
        size_t head = b->data - b->mapped, tail = b->mapped_bytes - head - b->bytes;
        size_t region = 2 * (i - from);
        KS_TRY(check_region(cuda, b->mapped, head, b->canary, region, err));
        KS_TRY(check_region(cuda, b->data + b->bytes, tail, b->canary + 1, region + 1, err));
    }
    KS_CU(cuda, MemcpyDtoHAsync, results, cuda->scratch.data, sizeof results, cuda->stream);
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    for (size_t r = 0; r < 2 * (to - from); r++) {
        if (results[r] == 0)
            continue;
        const struct ks_cuda_buffer *b = &cuda->buffers.at[from + r / 2];
        int64_t offset = (int64_t)results[r + REGIONS];
        offset += r % 2 ? (int64_t)b->bytes : -(int64_t)(b->data - b->mapped);
        if (damage->bytes == 0)
            *damage = (struct ks_dev_damage){0, from + r / 2, offset};
        damage->bytes += (int64_t)results[r];
    }
    return KS_OK;
}

enum ks_status ks_cuda_check_slack(void *self, struct ks_dev_damage *damage, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    *damage = (struct ks_dev_damage){0};
    for (size_t from = 0; from < cuda->buffers.len; from += REGIONS / 2) {
        size_t to = cuda->buffers.len - from > REGIONS / 2 ? from + REGIONS / 2
                                                           : cuda->buffers.len;
        KS_TRY(check_some(cuda, from, to, damage, err));
    }
    return KS_OK;
}

// ---- fingerprints

enum ks_status ks_cuda_fingerprints(void *self, const size_t *buffers, size_t n, uint64_t *out,
                                    struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    if (n == 0)
        return KS_OK;
    if (n > KS_CUDA_RESULTS)
        KS_FAIL(err, KS_E_LIMIT, "fingerprints of more than %d buffers at once", KS_CUDA_RESULTS);
    KS_CU(cuda, MemsetD8Async, cuda->scratch.data, 0, 8 * n, cuda->stream);
    for (size_t i = 0; i < n; i++) {
        struct ks_cuda_buffer *b = NULL;
        KS_TRY(ks_cuda_buffer_at(cuda, buffers[i], &b, err));
        unsigned long long bytes = b->bytes;
        CUdeviceptr at = b->data, to = cuda->scratch.data + 8 * i;
        void *params[] = {&at, &bytes, &to};
        KS_TRY(launch(cuda, cuda->trusted.fingerprint, blocks_for(cuda, b->bytes), THREADS, 0,
                      params, err));
    }
    KS_CU(cuda, MemcpyDtoHAsync, out, cuda->scratch.data, 8 * n, cuda->stream);
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    return KS_OK;
}

enum ks_status ks_cuda_read_through(struct ks_cuda *cuda, CUdeviceptr at, size_t n, struct ks_err *err)
{
    unsigned long long bytes = n;
    CUdeviceptr to = cuda->scratch.data; // of no use
    void *params[] = {&at, &bytes, &to};
    return launch(cuda, cuda->trusted.fingerprint, blocks_for(cuda, n), THREADS, 0, params, err);
}

// ---- gathering

// in: places, then room for the elements
static enum ks_status gather_by(struct ks_cuda *cuda, const struct ks_cuda_buffer *from, size_t size, const int64_t *places,
                                size_t n, const struct ks_cuda_buffer *with, void *data, struct ks_err *err)
{
    unsigned long long count = n;
    unsigned each = (unsigned)size;
    CUdeviceptr at = from->data, list = with->data, to = with->data + n * sizeof *places;
    void *params[] = {&at, &list, &count, &each, &to};
    KS_CU(cuda, MemcpyHtoDAsync, list, places, n * sizeof *places, cuda->stream);
    KS_TRY(launch(cuda, cuda->trusted.gather, blocks_for(cuda, 8 * n), THREADS, 0, params, err));
    KS_CU(cuda, MemcpyDtoHAsync, data, to, n * size, cuda->stream);
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    return KS_OK;
}

enum ks_status ks_cuda_gather(void *self, size_t buffer, size_t size, const int64_t *places, size_t n, void *data,
                              struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    struct ks_cuda_buffer *from = NULL, with;
    KS_TRY(ks_cuda_buffer_at(cuda, buffer, &from, err));
    for (size_t i = 0; i < n; i++)
        if (places[i] < 0 || (uint64_t)places[i] >= from->bytes / size)
            KS_FAIL(err, KS_E_USER, "place %lld is beyond a buffer of %zu bytes", (long long)places[i], from->bytes);
    if (n == 0)
        return KS_OK;
    KS_TRY(ks_cuda_map(cuda, (int64_t)(n * (sizeof *places + size)), 256, KS_FLUSH_START, &with, err));
    enum ks_status status = gather_by(cuda, from, size, places, n, &with, data, err);
    ks_cuda_unmap(cuda, &with, NULL);
    return status;
}

// ---- contents

enum ks_status ks_cuda_generate(void *self, size_t buffer, const struct ks_filling *filling, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    struct ks_cuda_buffer *to = NULL;
    struct ks_filling f = *filling; // without a path, which is of this process
    unsigned long long n = (unsigned long long)f.total * (unsigned long long)f.elem.lanes;
    KS_TRY(ks_cuda_ready(cuda, err));
    KS_TRY(ks_cuda_buffer_at(cuda, buffer, &to, err));
    if (f.total < 0 || f.elem.lanes < 1 || n > to->bytes / (f.wide ? sizeof(double) : ks_scalar_size(f.elem.scalar)))
        KS_FAIL(err, KS_E_USER, "%lld elements are beyond a buffer of %zu bytes", (long long)f.total, to->bytes);
    f.init.path = f.init.after = NULL;
    CUdeviceptr at = to->data;
    void *params[] = {&at, &n, &f};
    if (n == 0)
        return KS_OK;
    return launch(cuda, cuda->trusted.generate, blocks_for(cuda, 4 * n), THREADS, 0, params, err);
}

// ---- scrub, spin, stamps

enum ks_status ks_cuda_scrub(void *self, uint32_t word, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    unsigned shared = (unsigned)cuda->facts.smem_optin, words = shared / 4;
    CUdeviceptr sink = cuda->scratch.data;
    void *params[] = {&word, &words, &sink};
    // Twice as many blocks as SMs: each block fills one, and none is left out.
    return launch(cuda, cuda->trusted.scrub, 2 * (size_t)cuda->facts.sms, 1024, shared, params, err);
}

static unsigned long long cycles_of(double microseconds)
{
    return (unsigned long long)(microseconds * 2000.0); // at 2 GHz
}

enum ks_status ks_cuda_spin(struct ks_cuda *cuda, double microseconds, struct ks_err *err)
{
    unsigned long long cycles = cycles_of(microseconds);
    void *params[] = {&cycles};
    return launch(cuda, cuda->trusted.spin, 1, 1, 0, params, err);
}

// Beside whatever is enqueued, once that is done; the run is held back for as long as they take to begin.
enum ks_status ks_cuda_crowd(void *self, double microseconds, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    if (cuda->aside == NULL)
        KS_CU(cuda, StreamCreate, &cuda->aside, CU_STREAM_NON_BLOCKING);
    unsigned long long cycles = cycles_of(CROWD_LEAD_US + microseconds);
    void *params[] = {&cycles};
    const unsigned sms = (unsigned)cuda->facts.sms, held = sms < 2 ? 0 : 1 + (unsigned)ks_rng_below(&cuda->rng, sms - 1); // one is left
    if (held == 0)
        return KS_OK;
    KS_CU(cuda, EventRecord, cuda->end, cuda->stream);
    KS_CU(cuda, StreamWaitEvent, cuda->aside, cuda->end, 0);
    KS_CU(cuda, LaunchKernel, cuda->trusted.spin, held, 1, 1, 32, 1, 1, (unsigned)cuda->facts.smem_optin, cuda->aside, params, NULL);
    return ks_cuda_spin(cuda, CROWD_LEAD_US, err);
}

enum ks_status ks_cuda_crowd_ends(struct ks_cuda *cuda, struct ks_err *err)
{
    if (cuda->aside != NULL)
        KS_CU(cuda, StreamSynchronize, cuda->aside);
    return KS_OK;
}

static CUdeviceptr stamps(const struct ks_cuda *cuda, int which)
{
    return cuda->scratch.data + KS_CUDA_RESULTS * 8 + (size_t)which * KS_CUDA_STAMPS * 16;
}

enum ks_status ks_cuda_stamp_clear(struct ks_cuda *cuda, struct ks_err *err)
{
    KS_CU(cuda, MemsetD8Async, stamps(cuda, 0), 0, 2 * KS_CUDA_STAMPS * 16, cuda->stream);
    return KS_OK;
}

enum ks_status ks_cuda_stamp(struct ks_cuda *cuda, int which, struct ks_err *err)
{
    CUdeviceptr at = stamps(cuda, which);
    unsigned slots = KS_CUDA_STAMPS;
    void *params[] = {&at, &slots};
    return launch(cuda, cuda->trusted.stamp, (size_t)cuda->facts.sms, 32, 0, params, err);
}

// The counters of one SM only are comparable: the first that was stamped both times.
enum ks_status ks_cuda_stamp_clock(struct ks_cuda *cuda, double *mhz, struct ks_err *err)
{
    static uint64_t pairs[2][KS_CUDA_STAMPS][2];
    *mhz = 0;
    KS_CU(cuda, MemcpyDtoHAsync, pairs, stamps(cuda, 0), sizeof pairs, cuda->stream);
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    for (size_t i = 0; i < KS_CUDA_STAMPS; i++) {
        uint64_t *a = pairs[0][i], *b = pairs[1][i];
        if (a[0] == 0 || b[0] <= a[0] || b[1] <= a[1])
            continue;
        *mhz = (double)(b[1] - a[1]) * 1000.0 / (double)(b[0] - a[0]);
        break;
    }
    return KS_OK;
}

// ---- ceilings

#define ROUNDS 7

static enum ks_status median_time(struct ks_cuda *cuda, CUfunction function, size_t blocks,
                                  void **params, double *microseconds, struct ks_err *err)
{
    double times[ROUNDS];
    for (int i = -2; i < ROUNDS; i++) { // two warm-ups settle clocks and page tables
        float ms = 0;
        KS_CU(cuda, EventRecord, cuda->begin, cuda->stream);
        KS_TRY(launch(cuda, function, blocks, THREADS, 0, params, err));
        KS_CU(cuda, EventRecord, cuda->end, cuda->stream);
        KS_CU(cuda, StreamSynchronize, cuda->stream);
        KS_CU(cuda, EventElapsedTime, &ms, cuda->begin, cuda->end);
        if (i >= 0)
            times[i] = (double)ms * 1000.0;
    }
    *microseconds = ks_median(times, ROUNDS);
    if (!(*microseconds > 0))
        KS_FAIL(err, KS_E_DEVICE, "the GPU's events measured no time");
    return KS_OK;
}

static enum ks_status measure_copy(struct ks_cuda *cuda, struct ks_cuda_buffer *pair, double *gbs,
                                   struct ks_err *err)
{
    size_t bytes = pair[0].bytes;
    unsigned long long n = bytes / 16;
    void *params[] = {&pair[0].data, &pair[1].data, &n};
    double us;
    KS_TRY(ks_cuda_canary(cuda, pair[0].data, bytes, 1, err)); // zeros would cost less power
    KS_TRY(median_time(cuda, cuda->trusted.copy, (size_t)n / THREADS, params, &us, err));
    *gbs = 2.0 * (double)bytes / us / 1000.0;
    return KS_OK;
}

enum ks_status ks_cuda_ceilings(void *self, double *copy_gbs, double *fma_gflops,
                                struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    size_t available, total;
    KS_CU(cuda, MemGetInfo, &available, &total);
    size_t bytes = (size_t)1 << 30; // well beyond any L2
    while (bytes > available / 4 && bytes > (size_t)1 << 20)
        bytes /= 2;
    struct ks_cuda_buffer pair[2] = {{0}};
    enum ks_status status = KS_OK;
    for (int i = 0; i < 2 && status == KS_OK; i++)
        status = ks_cuda_map(cuda, (int64_t)bytes, 256, KS_FLUSH_START, &pair[i], err);
    if (status == KS_OK)
        status = measure_copy(cuda, pair, copy_gbs, err);
    for (int i = 0; i < 2; i++)
        ks_cuda_unmap(cuda, &pair[i], NULL);
    KS_TRY(status);
    int iterations = 1024; // about a millisecond
    float x = 0.999f, y = 0.5f;
    CUdeviceptr out = cuda->scratch.data;
    void *params[] = {&out, &x, &y, &iterations};
    size_t blocks = 8 * (size_t)cuda->facts.sms;
    double us, flops = (double)blocks * THREADS * iterations * 128 * 2;
    KS_TRY(median_time(cuda, cuda->trusted.fma, blocks, params, &us, err));
    *fma_gflops = flops / us / 1000.0;
    return KS_OK;
}
