// Races by happens-before. Every 4 bytes remember the last write and a last read: block, thread,
// the block's clock and the instruction (as an event, below). Two accesses of different threads to the same bytes, one of
// them a write that changed them, race unless they are ordered (PTX ISA 8.10):
//  - in one block by a barrier that both threads took part in, or __syncwarp in one warp;
//  - between blocks, when the earlier block fenced (gpu scope) after its access and then did a strong
//    access (atomic, volatile, release) to some location that the later block strongly accessed since.
// Atomics never race with each other where their scopes reach: those of .cta scope in one block alone. The order that an atomic alone gives
// its observer counts as acquired without a fence on that side, as in NVIDIA's own last-block sample.
//
// A load by the non-coherent path (ld.global.nc, ldu) asks for memory that nothing writes while the kernel runs (9.7.9.9):
// whatever orders the two, it and a write of the launch that changes one of its bytes exclude each other.
//
// A block's clock counts its barriers, fences and published writes; so "before the last barrier" is a
// comparison of numbers.
#ifndef KS_EMU_RACE_H
#define KS_EMU_RACE_H

#include <stdbool.h>
#include <stdint.h>

struct ks_emu_grid;
struct ks_emu_block;
struct ks_emu_warp;
struct ks_emu_inst;

// What one instruction of one warp did in one span of its block's clock. Cells name events, so that the
// history of 4 bytes takes 11: that of a launch is never more than 2.75 times the memory it touched, and the
// events.
struct ks_emu_event {
    uint32_t block, inst, clock; // inst: index into the module's code
    uint8_t warp, flags;
};
#define KS_EMU_CHUNK 65536u
#define KS_EMU_MANY_EVENTS (1u << 20)
struct ks_emu_events {           // numbered from 1
    struct ks_emu_event **chunks;
    uint32_t n, n_chunks;
    uint32_t collect_at;         // so many are too many: those that no cell names are dropped
};
static inline struct ks_emu_event *ks_emu_event_at(const struct ks_emu_events *all, uint32_t i)
{
    return &all->chunks[i / KS_EMU_CHUNK][i % KS_EMU_CHUNK];
}
// emu_history.c
void ks_emu_events_collect(struct ks_emu_grid *grid);
struct __attribute__((packed)) ks_emu_cell {
    uint32_t write, read;           // event << 2, the lower bits of the mask of bytes; 0: none
    uint8_t write_lane, read_lane;  // lane, the upper bits of the mask, whether others read it too
    uint8_t held;                   // bytes ever read by the non-coherent path; << 4: bytes ever written
};

struct ks_emu_clock {
    uint32_t now;          // of the block, from 1
    uint32_t floor;        // all threads passed a barrier at this time
    uint32_t fence_barrier;// the last full barrier that some thread's later gpu fence covers
    uint32_t *fences;      // a thread: when it last fenced for the GPU; outlives the block
    bool fenced;           // some fence was there
    bool lost;             // more was published than is remembered: warps of the block count as ordered
    uint32_t seen[32][32]; // [warp][of warp]: times known to be before
    uint32_t *blocks;      // times of other blocks known to be before, by linear index; or NULL
};

void ks_emu_clock_start(struct ks_emu_block *block);
void ks_emu_clock_end(struct ks_emu_block *block);
// All threads, or those of the warps in `warps`, have met.
void ks_emu_clock_barrier(struct ks_emu_block *block, bool all, uint32_t warps);
void ks_emu_clock_warp_sync(struct ks_emu_warp *warp);
void ks_emu_clock_fence(struct ks_emu_warp *warp, uint32_t mask, bool gpu);

enum ks_emu_race_kind { KS_EMU_RACE_READ, KS_EMU_RACE_WRITE };
// An earlier event as an instruction of a warp sees it.
struct ks_emu_earlier {
    const struct ks_emu_event *event;
    uint32_t name;              // of the event; 0: none was looked at
    bool here, same_warp;       // of this block, of this warp
    bool ordered;               // before this instruction, if `here`
};
// An access of one lane. Of those that one instruction makes, only lane and address differ: what is
// found once serves all, as long as none of them is made through another of these.
struct ks_emu_race_access {
    struct ks_emu_warp *warp;
    const struct ks_emu_inst *inst;
    uint32_t lane;
    uint64_t address, bytes;
    bool write, strong, shared; // shared memory: of the own block alone
    bool cta;                   // strong within its block alone
    bool noncoherent;
    uint32_t event;             // of this instruction, 0: not made yet
    struct ks_emu_earlier last_write, last_read;
};
// Checks and notes an access to `bytes` (at most 16) whose first granule is cells[0]; `offset` is
// that of the access in its first granule.
void ks_emu_race_note(struct ks_emu_race_access *access, struct ks_emu_cell *cells,
                      unsigned offset);
// A strong access to a location: acquires what was published there, then publishes (if `publish`).
// Of .cta scope it does neither towards other blocks.
void ks_emu_race_sync(struct ks_emu_warp *warp, uint64_t address, bool publish, bool cta);
void ks_emu_race_free(struct ks_emu_grid *grid);

#endif
