#include "device/emu/emu_memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/num.h"
#include "device/emu/emu_race.h"

// Up to here clearing memory that is there is cheaper than a page fault for each page of new memory.
#define SMALL ((size_t)96 << 10)

void *ks_emu_pages(size_t bytes)
{
    if (bytes <= SMALL)
        return calloc(bytes, 1);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void ks_emu_pages_free(void *at, size_t bytes)
{
    if (bytes <= SMALL)
        free(at);
    else if (at != NULL)
        munmap(at, bytes);
}

enum ks_status ks_emu_region_make(struct ks_emu_memory *memory, uint64_t bytes, uint64_t skew,
                                  bool track, struct ks_emu_region **out, struct ks_err *err)
{
    struct ks_emu_region *region = NULL;
    uint32_t slot = 0;
    if (bytes > KS_EMU_REGION_MAX || skew > KS_EMU_REGION_MAX)
        KS_FAIL(err, KS_E_LIMIT, "a buffer of %llu bytes is impossible", (unsigned long long)bytes);
    // Slots are taken in turn: an address that was freed is not given out again soon.
    for (uint32_t i = 0; region == NULL && i < KS_EMU_SLOTS; i++) {
        slot = (memory->next + i) % KS_EMU_SLOTS;
        if (slot >= KS_EMU_FIRST_SLOT && memory->regions[slot].data == NULL)
            region = &memory->regions[slot];
    }
    if (region == NULL)
        KS_FAIL(err, KS_E_LIMIT, "more than %d buffers", KS_EMU_SLOTS - KS_EMU_FIRST_SLOT);
    memory->next = slot + 1;
    unsigned lead = (unsigned)(skew & 15);
    size_t n = ks_align_up(bytes + 32, 4096);
    *region = (struct ks_emu_region){
        .address = ((uint64_t)slot << KS_EMU_SLOT_BITS) + skew, .bytes = bytes, .lead = lead,
        .mapped = n,
        .known_mapped = n / 8 + 16, .cells_mapped = track ? ks_align_up(n / 4 * sizeof(struct ks_emu_cell), 4096) : 0};
    region->data = ks_emu_pages(region->mapped);
    region->known = ks_emu_pages(region->known_mapped);
    region->cells = track ? ks_emu_pages(region->cells_mapped) : NULL;
    region->data = region->data == NULL ? NULL : region->data + lead;
    *out = region;
    if (region->data != NULL && region->known != NULL && (region->cells != NULL || !track))
        return KS_OK;
    ks_emu_region_free(memory, region);
    KS_FAIL(err, KS_E_LIMIT, "no memory for a buffer of %llu bytes", (unsigned long long)bytes);
}

void ks_emu_region_free(struct ks_emu_memory *memory, struct ks_emu_region *region)
{
    (void)memory;
    ks_emu_pages_free(region->data == NULL ? NULL : region->data - region->lead, region->mapped);
    ks_emu_pages_free(region->known, region->known_mapped);
    ks_emu_pages_free(region->cells, region->cells_mapped);
    region->data = region->known = NULL;
    region->cells = NULL;
    region->freed = true;
}

void ks_emu_memory_free(struct ks_emu_memory *memory)
{
    for (uint32_t slot = 0; slot < KS_EMU_SLOTS; slot++)
        if (memory->regions[slot].data != NULL)
            ks_emu_region_free(memory, &memory->regions[slot]);
}

void ks_emu_region_forget(struct ks_emu_region *region)
{
    if (region->cells != NULL && region->cells_mapped <= SMALL)
        memset(region->cells, 0, region->cells_mapped);
    else if (region->cells != NULL)
        madvise(region->cells, region->cells_mapped, MADV_DONTNEED);
}

void ks_emu_known_set(unsigned char *known, uint64_t at, uint64_t n, bool value)
{
    for (; n > 0 && (at & 7) != 0; at++, n--) {
        unsigned bit = 1u << (at & 7);
        known[at >> 3] = (unsigned char)(value ? known[at >> 3] | bit : known[at >> 3] & ~bit);
    }
    memset(known + (at >> 3), value ? 0xff : 0, n >> 3);
    at += n & ~UINT64_C(7);
    for (n &= 7; n > 0; at++, n--) {
        unsigned bit = 1u << (at & 7);
        known[at >> 3] = (unsigned char)(value ? known[at >> 3] | bit : known[at >> 3] & ~bit);
    }
}
