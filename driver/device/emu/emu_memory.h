// Checked memory: every allocation is a region in an address slot of its own (64 GiB), so that no
// index arithmetic on one pointer reaches another allocation, and every byte knows whether it was
// ever written.
//
// A generic address is (slot << 36) + offset. Slot 0 is never valid; 1, 2 and 3 are the windows of
// shared, local and parameter space (PTX ISA 5.1, 6.4.1). Inside shared space every variable has a
// window of 1 MiB, inside local space every call depth one of 16 MiB.
#ifndef KS_EMU_MEMORY_H
#define KS_EMU_MEMORY_H

#include "base/str.h"
#include "base/vec.h"

#define KS_EMU_SLOT_BITS 36
#define KS_EMU_SLOTS 4096
#define KS_EMU_SHARED_BASE (UINT64_C(1) << KS_EMU_SLOT_BITS)
#define KS_EMU_LOCAL_BASE (UINT64_C(2) << KS_EMU_SLOT_BITS)
#define KS_EMU_PARAM_BASE (UINT64_C(3) << KS_EMU_SLOT_BITS)
#define KS_EMU_FIRST_SLOT 4
#define KS_EMU_SHARED_WINDOW_BITS 20
#define KS_EMU_LOCAL_WINDOW_BITS 24
#define KS_EMU_REGION_MAX (INT64_C(1) << 35)

struct ks_emu_cell; // emu_race.h
struct ks_emu_undo; // emu_team.c

struct ks_emu_region {
    uint64_t address;       // of the first byte
    uint64_t bytes;
    unsigned char *data;    // (its lower four address bits are those of `address`)
    unsigned lead;          // address % 16: history and known bits count from the 16 bytes before
    unsigned char *known;   // a bit a byte: written since it was undefined
    struct ks_emu_cell *cells; // access history, a cell for 4 bytes, NULL: not tracked
    size_t mapped, known_mapped, cells_mapped;
    bool constant;          // constant memory: no kernel may write it
    bool frozen;            // nor this, for now
    bool freed;
    unsigned char *pages;   // on several cores: what this one did in each page
    struct ks_emu_undo *undo;
    const char *name;       // for findings: "buffer 2", "constant table"
};

struct ks_emu_memory {
    struct ks_emu_region regions[KS_EMU_SLOTS]; // by slot; bytes 0 and data NULL: none
    uint32_t next;          // slot tried first for the next allocation
};

// Zeroed memory, NULL where there is none; given back with the same size (NULL: nothing). Pages that nobody touched
// cost nothing, so that history is cheap for large buffers read in part.
void *ks_emu_pages(size_t bytes);
void ks_emu_pages_free(void *at, size_t bytes);
// A region of `bytes`, undefined contents, `skew` bytes behind the slot's start. KS_E_LIMIT when
// memory or slots end.
enum ks_status ks_emu_region_make(struct ks_emu_memory *memory, uint64_t bytes, uint64_t skew,
                                  bool track, struct ks_emu_region **region, struct ks_err *err);
// The slot stays marked as freed until it is needed again.
void ks_emu_region_free(struct ks_emu_memory *memory, struct ks_emu_region *region);
void ks_emu_memory_free(struct ks_emu_memory *memory);
// Forgets the access history: what came before a launch happens before it.
void ks_emu_region_forget(struct ks_emu_region *region);

void ks_emu_known_set(unsigned char *known, uint64_t at, uint64_t n, bool value);

static inline bool ks_emu_known(const unsigned char *known, uint64_t at, uint64_t n)
{
    // n is 1, 2, 4, 8 or 16 and `at` a multiple of it.
    if (n == 16)
        return known[at >> 3] == 0xff && known[(at >> 3) + 1] == 0xff;
    unsigned mask = (1u << n) - 1;
    return ((unsigned)known[at >> 3] >> (at & 7) & mask) == mask;
}

static inline void ks_emu_known_mark(unsigned char *known, uint64_t at, uint64_t n)
{
    if (n == 16)
        known[at >> 3] = known[(at >> 3) + 1] = 0xff;
    else
        known[at >> 3] = (unsigned char)(known[at >> 3] | ((1u << n) - 1) << (at & 7));
}

#endif
