// Buffers of the emulated device: bytes, which of them are defined, and addresses aligned as a GPU's
// fenced buffers are.

#include "base/num.h"
#include "device/emu/emu_state.h"

#define PAGE (UINT64_C(2) << 20) // what a GPU maps at least: decides where end-flush data begin

enum ks_status ks_emu_buffer_at(struct ks_emu *emu, size_t i, struct ks_emu_region **region,
                                struct ks_err *err)
{
    if (i >= emu->buffers.len)
        KS_FAIL(err, KS_E_USER, "there is no buffer %zu", i);
    *region = emu->buffers.at[i];
    return KS_OK;
}

enum ks_status ks_emu_alloc(void *self, int64_t bytes, size_t align, enum ks_flush flush,
                            size_t *buffer, struct ks_dev_buffer *out, struct ks_err *err)
{
    struct ks_emu *emu = self;
    struct ks_emu_region *region = NULL;
    if (align == 0 || (align & (align - 1)) != 0 || align > PAGE)
        KS_FAIL(err, KS_E_USER, "alignment %zu is no power of two up to %llu", align,
                (unsigned long long)PAGE);
    if (bytes < 0 || bytes > KS_EMU_REGION_MAX)
        KS_FAIL(err, KS_E_LIMIT, "a buffer of %lld bytes is impossible", (long long)bytes);
    uint64_t n = (uint64_t)bytes, skew = PAGE * (1 + ks_rng_below(&emu->rng, 64));
    if (flush == KS_FLUSH_END)
        skew += (ks_align_up(n > 0 ? n : 1, PAGE) - n) & ~(uint64_t)(align - 1);
    KS_TRY(ks_emu_region_make(&emu->memory, n, skew, true, &region, err));
    *buffer = emu->buffers.len;
    region->name = ks_arena_printf(&emu->arena, "buffer %zu", *buffer);
    *ks_vec_push(&emu->arena, &emu->buffers) = region;
    *out = (struct ks_dev_buffer){region->address, bytes, 0};
    return KS_OK;
}

enum ks_status ks_emu_freeze(void *self, size_t buffer, struct ks_err *err)
{
    struct ks_emu_region *r = NULL;
    KS_TRY(ks_emu_buffer_at(self, buffer, &r, err));
    r->frozen = true;
    return KS_OK;
}

enum ks_status ks_emu_free_all(void *self, struct ks_err *err)
{
    struct ks_emu *emu = self;
    (void)err;
    for (size_t i = 0; i < emu->buffers.len; i++)
        ks_emu_region_free(&emu->memory, emu->buffers.at[i]);
    emu->buffers.len = 0;
    return KS_OK;
}

static enum ks_status inside(const struct ks_emu_region *r, int64_t from, int64_t n, struct ks_err *err)
{
    if (n < 0 || from < 0 || (uint64_t)from > r->bytes || (uint64_t)n > r->bytes - (uint64_t)from)
        KS_FAIL(err, KS_E_USER, "%lld bytes from %lld on do not fit a buffer of %llu", (long long)n, (long long)from,
                (unsigned long long)r->bytes);
    return KS_OK;
}

enum ks_status ks_emu_write(void *self, size_t buffer, int64_t to, const void *data, int64_t n, struct ks_err *err)
{
    struct ks_emu_region *r = NULL;
    KS_TRY(ks_emu_buffer_at(self, buffer, &r, err));
    KS_TRY(inside(r, to, n, err));
    if (n > 0)
        memcpy(r->data + to, data, (size_t)n);
    ks_emu_known_set(r->known, r->lead + (uint64_t)to, (uint64_t)n, true);
    return KS_OK;
}

enum ks_status ks_emu_read(void *self, size_t buffer, int64_t from, void *data, int64_t n, struct ks_err *err)
{
    struct ks_emu_region *r = NULL;
    KS_TRY(ks_emu_buffer_at(self, buffer, &r, err));
    KS_TRY(inside(r, from, n, err));
    if (n > 0)
        memcpy(data, r->data + from, (size_t)n);
    return KS_OK;
}

enum ks_status ks_emu_copy_buffer(void *self, size_t to, size_t from, struct ks_err *err)
{
    struct ks_emu_region *t = NULL, *f = NULL;
    KS_TRY(ks_emu_buffer_at(self, to, &t, err));
    KS_TRY(ks_emu_buffer_at(self, from, &f, err));
    if (t->bytes != f->bytes)
        KS_FAIL(err, KS_E_USER, "buffers %zu and %zu differ in size", to, from);
    memmove(t->data, f->data, t->bytes);
    // Whole bytes of the bitmap where both are aligned alike.
    for (uint64_t i = 0; i < t->bytes; i++) {
        if ((t->lead & 7) == (f->lead & 7) && ((i + t->lead) & 7) == 0 && t->bytes - i >= 8) {
            uint64_t n = (t->bytes - i) / 8;
            memmove(t->known + (i + t->lead) / 8, f->known + (i + f->lead) / 8, n);
            i += n * 8 - 1;
            continue;
        }
        ks_emu_known_set(t->known, i + t->lead, 1, ks_emu_known(f->known, i + f->lead, 1));
    }
    return KS_OK;
}

enum ks_status ks_emu_poison(void *self, size_t buffer, uint32_t word, struct ks_err *err)
{
    struct ks_emu_region *r = NULL;
    KS_TRY(ks_emu_buffer_at(self, buffer, &r, err));
    for (uint64_t i = 0; i < r->bytes; i += 4)
        memcpy(r->data + i, &word, r->bytes - i < 4 ? r->bytes - i : 4);
    ks_emu_known_set(r->known, r->lead, r->bytes, false);
    return KS_OK;
}

enum ks_status ks_emu_check_slack(void *self, struct ks_dev_damage *damage, struct ks_err *err)
{
    (void)self, (void)err;
    *damage = (struct ks_dev_damage){0}; // no write gets outside: run() would have said so
    return KS_OK;
}

enum ks_status ks_emu_fingerprints(void *self, const size_t *buffers, size_t n, uint64_t *out,
                                   struct ks_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct ks_emu_region *r = NULL;
        uint64_t h = UINT64_C(0x9e3779b97f4a7c15), word;
        KS_TRY(ks_emu_buffer_at(self, buffers[i], &r, err));
        for (uint64_t at = 0; at < r->bytes; at += 8) {
            word = 0;
            memcpy(&word, r->data + at, r->bytes - at < 8 ? r->bytes - at : 8);
            h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
            h ^= h >> 32;
        }
        out[i] = h;
    }
    return KS_OK;
}

enum ks_status ks_emu_scrub(void *self, uint32_t word, struct ks_err *err)
{
    (void)self, (void)word, (void)err; // shared and local memory start undefined in every block
    return KS_OK;
}
