// Fenced buffers: a stretch of reserved addresses of which only the middle is mapped, so that the
// first byte read or written beyond it is a hardware fault (research: 0.1 ms a buffer).

#include <string.h>

#include "base/num.h"
#include "device/cuda_device.h"

#define MAX_BYTES (INT64_C(1) << 42)
#define KEEP 64                        // mappings,
#define KEEP_BYTES ((size_t)256 << 20) // so many bytes in all

static CUmemAllocationProp properties(const struct ks_cuda *cuda)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                                              .id = cuda->device}};
}

static enum ks_status map_middle(struct ks_cuda *cuda, struct ks_cuda_buffer *b, struct ks_err *err)
{
    // One to eight granules of nothing on either side: no address arithmetic reaches a neighbour.
    size_t before = cuda->granularity * (1 + ks_rng_below(&cuda->rng, 8));
    size_t after = cuda->granularity * (1 + ks_rng_below(&cuda->rng, 8));
    CUmemAllocationProp prop = properties(cuda);
    CUmemAccessDesc access = {.location = prop.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    size_t reserved_bytes = before + b->mapped_bytes + after;
    KS_CU(cuda, MemAddressReserve, &b->reserved, reserved_bytes, 0, 0, 0);
    b->reserved_bytes = reserved_bytes;
    KS_CU(cuda, MemCreate, &b->memory, b->mapped_bytes, &prop, 0);
    CUdeviceptr at = b->reserved + before;
    KS_CU(cuda, MemMap, at, b->mapped_bytes, 0, b->memory, 0);
    b->mapped = at;
    KS_CU(cuda, MemSetAccess, b->mapped, b->mapped_bytes, &access, 1);
    return KS_OK;
}

// ---- mappings that are used again
//
// To make and undo one takes seven calls into the driver, 0.1 ms on a quiet host and a millisecond on a busy one,
// and hundreds of vectors have buffers of the same few sizes. Between two uses nothing can reach it, just as if it
// were not there.

static bool give_access(const struct ks_cuda *cuda, const struct ks_cuda_buffer *b, CUmemAccess_flags flags)
{
    CUmemAccessDesc access = {.location = properties(cuda).location, .flags = flags};
    return cuda->api.MemSetAccess(b->mapped, b->mapped_bytes, &access, 1) == CUDA_SUCCESS;
}

static bool keep(struct ks_cuda *cuda, struct ks_cuda_buffer *b)
{
    if (cuda->spoilt || b->mapped == 0 || cuda->kept.len == KEEP || b->mapped_bytes > KEEP_BYTES - cuda->kept_bytes ||
        !give_access(cuda, b, CU_MEM_ACCESS_FLAGS_PROT_NONE))
        return false;
    struct ks_cuda_buffer *slot = ks_vec_push(&cuda->arena, &cuda->kept);
    *slot = *b;
    cuda->kept_bytes += b->mapped_bytes;
    return true;
}

// Any one of that size, by chance.
static bool take_kept(struct ks_cuda *cuda, struct ks_cuda_buffer *b)
{
    size_t n = cuda->kept.len, first = n > 0 ? (size_t)ks_rng_below(&cuda->rng, n) : 0;
    for (size_t i = 0; i < n; i++) {
        struct ks_cuda_buffer *slot = &cuda->kept.at[(first + i) % n], old = *slot;
        if (old.mapped_bytes != b->mapped_bytes)
            continue;
        *slot = cuda->kept.at[--cuda->kept.len];
        cuda->kept_bytes -= old.mapped_bytes;
        if (!give_access(cuda, &old, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
            ks_cuda_unmap(cuda, &old, NULL);
            return false;
        }
        b->reserved = old.reserved;
        b->reserved_bytes = old.reserved_bytes;
        b->mapped = old.mapped;
        b->memory = old.memory;
        return true;
    }
    return false;
}

void ks_cuda_unmap_kept(struct ks_cuda *cuda)
{
    for (size_t i = 0; i < cuda->kept.len; i++)
        ks_cuda_unmap(cuda, &cuda->kept.at[i], NULL);
    cuda->kept.len = 0;
    cuda->kept_bytes = 0;
}

enum ks_status ks_cuda_map(struct ks_cuda *cuda, int64_t bytes, size_t align, enum ks_flush flush,
                           struct ks_cuda_buffer *buffer, struct ks_err *err)
{
    if (align == 0 || (align & (align - 1)) != 0 || align > cuda->granularity)
        KS_FAIL(err, KS_E_USER, "alignment %zu is no power of two up to %zu", align,
                cuda->granularity);
    if (bytes < 0 || bytes > MAX_BYTES)
        KS_FAIL(err, KS_E_LIMIT, "a buffer of %lld bytes is impossible", (long long)bytes);
    size_t n = (size_t)bytes;
    *buffer = (struct ks_cuda_buffer){
        .mapped_bytes = ks_align_up(ks_align_up(n > 0 ? n : 1, align), cuda->granularity),
        .bytes = n, .canary = (uint32_t)ks_rng_next(&cuda->rng)};
    enum ks_status status = take_kept(cuda, buffer) ? KS_OK : map_middle(cuda, buffer, err);
    if (status == KS_E_LIMIT && cuda->kept.len > 0) { // they may be what there is no room for
        size_t mapped_bytes = buffer->mapped_bytes;
        uint32_t canary = buffer->canary;
        ks_cuda_unmap(cuda, buffer, NULL);
        ks_cuda_unmap_kept(cuda);
        *buffer = (struct ks_cuda_buffer){.mapped_bytes = mapped_bytes, .bytes = n, .canary = canary};
        status = map_middle(cuda, buffer, err);
    }
    if (status != KS_OK) {
        ks_cuda_unmap(cuda, buffer, NULL);
        return status;
    }
    buffer->data = buffer->mapped;
    if (flush == KS_FLUSH_END)
        buffer->data = (buffer->mapped + buffer->mapped_bytes - n) & ~(CUdeviceptr)(align - 1);
    return KS_OK;
}

enum ks_status ks_cuda_unmap(struct ks_cuda *cuda, struct ks_cuda_buffer *b, struct ks_err *err)
{
    enum ks_status status = KS_OK;
    CUresult results[3] = {CUDA_SUCCESS, CUDA_SUCCESS, CUDA_SUCCESS};
    static const char *const calls[3] = {"cuMemUnmap", "cuMemRelease", "cuMemAddressFree"};
    if (cuda->spoilt)
        return ks_cuda_ready(cuda, err);
    if (b->mapped != 0)
        results[0] = cuda->api.MemUnmap(b->mapped, b->mapped_bytes);
    if (b->memory != 0)
        results[1] = cuda->api.MemRelease(b->memory);
    if (b->reserved != 0)
        results[2] = cuda->api.MemAddressFree(b->reserved, b->reserved_bytes);
    for (int i = 0; i < 3 && status == KS_OK; i++)
        status = ks_cuda_check(cuda, results[i], calls[i], err);
    *b = (struct ks_cuda_buffer){0};
    return status;
}

enum ks_status ks_cuda_buffer_at(struct ks_cuda *cuda, size_t index, struct ks_cuda_buffer **buffer,
                                 struct ks_err *err)
{
    KS_TRY(ks_cuda_ready(cuda, err));
    if (index >= cuda->buffers.len)
        KS_FAIL(err, KS_E_USER, "there is no buffer %zu", index);
    *buffer = &cuda->buffers.at[index];
    return KS_OK;
}

enum ks_status ks_cuda_alloc(void *self, int64_t bytes, size_t align, enum ks_flush flush,
                             size_t *buffer, struct ks_dev_buffer *out, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    struct ks_cuda_buffer b;
    KS_TRY(ks_cuda_map(cuda, bytes, align, flush, &b, err));
    struct ks_cuda_buffer *slot = ks_vec_push(&cuda->arena, &cuda->buffers);
    *slot = b;
    *buffer = cuda->buffers.len - 1;
    size_t head = b.data - b.mapped, tail = b.mapped_bytes - head - b.bytes;
    *out = (struct ks_dev_buffer){b.data, bytes, (int64_t)(flush == KS_FLUSH_END ? tail : 0)};
    KS_TRY(ks_cuda_canary(cuda, b.mapped, head, b.canary, err));
    return ks_cuda_canary(cuda, b.data + b.bytes, tail, b.canary + 1, err);
}

enum ks_status ks_cuda_free_all(void *self, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    ks_cuda_forget_plans(cuda); // graphs hold addresses
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    enum ks_status status = KS_OK;
    for (size_t i = 0; i < cuda->buffers.len; i++) {
        if (keep(cuda, &cuda->buffers.at[i]))
            continue;
        enum ks_status one = ks_cuda_unmap(cuda, &cuda->buffers.at[i], err);
        status = one != KS_OK ? one : status;
    }
    cuda->buffers.len = 0;
    return status;
}

enum ks_status ks_cuda_freeze(void *self, size_t buffer, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    struct ks_cuda_buffer *b = NULL;
    KS_TRY(ks_cuda_buffer_at(cuda, buffer, &b, err));
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    CUmemAccessDesc access = {.location = properties(cuda).location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READ};
    // An H200 takes it (tests/gpu/hardware.cu); who does not still has the fingerprints.
    CUresult result = cuda->api.MemSetAccess(b->mapped, b->mapped_bytes, &access, 1);
    return result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_INVALID_VALUE
               ? KS_OK : ks_cuda_check(cuda, result, "cuMemSetAccess", err);
}

static enum ks_status inside(const struct ks_cuda_buffer *b, int64_t from, int64_t n, struct ks_err *err)
{
    if (n < 0 || from < 0 || (uint64_t)from > b->bytes || (uint64_t)n > b->bytes - (uint64_t)from)
        KS_FAIL(err, KS_E_USER, "%lld bytes from %lld on do not fit a buffer of %zu", (long long)n, (long long)from,
                b->bytes);
    return KS_OK;
}

enum ks_status ks_cuda_write(void *self, size_t buffer, int64_t to, const void *data, int64_t n, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    struct ks_cuda_buffer *b = NULL;
    KS_TRY(ks_cuda_buffer_at(cuda, buffer, &b, err));
    KS_TRY(inside(b, to, n, err));
    if (n > 0)
        KS_CU(cuda, MemcpyHtoDAsync, b->data + (size_t)to, data, (size_t)n, cuda->stream);
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    return KS_OK;
}

enum ks_status ks_cuda_read(void *self, size_t buffer, int64_t from, void *data, int64_t n, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    struct ks_cuda_buffer *b = NULL;
    KS_TRY(ks_cuda_buffer_at(cuda, buffer, &b, err));
    KS_TRY(inside(b, from, n, err));
    if (n > 0)
        KS_CU(cuda, MemcpyDtoHAsync, data, b->data + (size_t)from, (size_t)n, cuda->stream);
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    return KS_OK;
}

enum ks_status ks_cuda_copy(void *self, size_t to, size_t from, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    struct ks_cuda_buffer *t = NULL, *f = NULL;
    KS_TRY(ks_cuda_buffer_at(cuda, to, &t, err));
    KS_TRY(ks_cuda_buffer_at(cuda, from, &f, err));
    if (t->bytes != f->bytes)
        KS_FAIL(err, KS_E_USER, "buffers %zu and %zu differ in size", to, from);
    if (t->bytes > 0)
        KS_CU(cuda, MemcpyDtoDAsync, t->data, f->data, t->bytes, cuda->stream);
    return KS_OK;
}
