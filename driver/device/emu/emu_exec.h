// The running grid: blocks, warps, lanes. Private to driver/device/emu.
//
// Independent thread scheduling (PTX ISA 3.1): the lanes of a warp are split into groups with one
// program counter each. The group furthest behind runs, so that groups meet again where paths join;
// when it has run long while others could run, the others get their turn, so that no lane starves.
#ifndef KS_EMU_EXEC_H
#define KS_EMU_EXEC_H

#include <stdio.h>

#include "base/rng.h"
#include "device/emu/emu_finding.h"
#include "device/emu/emu_ir.h"
#include "device/emu/emu_memory.h"
#include "device/emu/emu_race.h"

#define KS_EMU_MAX_THREADS 1024
#define KS_EMU_BARRIERS 16
#define KS_EMU_TURN 512        // instructions of a group before other lanes get their turn

// One activation of a function for the lanes that called it together.
struct ks_emu_frame {
    struct ks_emu_frame *parent;
    const struct ks_emu_function *function;
    unsigned char *regs;
    uint32_t capacity;       // bytes of regs
    unsigned char *local;    // local_bytes a lane, lane after lane
    unsigned char *local_known;
    uint64_t local_bytes;    // allocated, a lane
    uint32_t depth, return_pc, lanes;
    uint32_t *undefined;     // emu_taint.h: lanes of each register, by offset / 4; NULL: all defined
    uint8_t *cause;
    const struct ks_emu_call *call;
};

enum ks_emu_state { KS_EMU_READY, KS_EMU_AT_BARRIER, KS_EMU_AT_WARP_SYNC };

struct ks_emu_group {
    uint32_t mask, pc;
    struct ks_emu_frame *frame;
    enum ks_emu_state state;
    uint32_t barrier;        // number, at a barrier
    uint32_t members;        // at a warp sync
};

// cp.async of one warp that is under way (9.7.9.25): done when waited for.
struct ks_emu_copy {
    const struct ks_emu_inst *inst;
    uint32_t lane;
    uint64_t to, from;
    uint32_t bytes, given;   // given < bytes: the rest is zero
    uint32_t batch;          // of its lane
    uint64_t number;         // of its warp
};

// wgmma of one warp that is under way: what it reads is to stay as it is.
struct ks_emu_wgmma {
    const struct ks_emu_inst *inst;
    uint64_t a, b, base;     // descriptors; of the window of shared memory
    uint64_t sum;            // of the bytes that it read
    uint32_t batch;
};

// emu_mbarrier.c: what arrivals at an mbarrier of the block published, a phase.
struct ks_emu_mbarrier {
    uint32_t address;        // in shared memory
    uint32_t seen[2][32];    // times of warps, as in struct ks_emu_clock
    const struct ks_emu_inst *made; // its initialisation, by which thread, when
    uint32_t maker, made_at;
};
// An arrival at an mbarrier once a lane's copies are there.
struct ks_emu_arrival {
    const struct ks_emu_inst *inst;
    uint32_t warp, lane, address;
    uint64_t before;         // copies with lower numbers
};

#define KS_EMU_RECENT 16
struct ks_emu_recent { // emu_race.h: the event of an instruction, while the block's clock stands
    uint32_t inst, clock, event;
};

struct ks_emu_warp {
    unsigned char *regs;     // of the frame that runs
    struct ks_emu_block *block;
    struct ks_emu_grid *grid;
    struct ks_emu_frame *frame;
    struct ks_emu_frame *free_frames;
    struct ks_emu_group groups[KS_EMU_LANES];
    unsigned n_groups;
    uint32_t index, exists, alive; // lanes of the block's size; those not exited
    uint32_t epoch;          // counts __syncwarp
    bool rotate;             // others than the group furthest behind are to run
    uint32_t turn;           // instructions until they are
    uint32_t carry;          // CC.CF, a bit a lane
    bool missed, copies_missed; // loads, cp.async that L1 did not have are under way (emu_count.h)
    struct ks_emu_copy *copies; uint32_t n_copies, cap_copies;
    uint32_t batch[KS_EMU_LANES]; // copy groups committed, a lane
    uint64_t copies_begun;
    struct ks_emu_wgmma *products; uint32_t n_products, cap_products;
    uint32_t product_batch;  // wgmma groups committed
    uint32_t asking;         // lanes that asked an mbarrier in vain, lately
    const struct ks_emu_inst *asked;
    bool gives_way;          // now, to other warps
    bool tainted;            // emu_taint.h: some register is, or was, undefined
    struct ks_emu_undefined *causes; uint8_t n_causes;
    struct ks_emu_recent recent[KS_EMU_RECENT];
};

struct ks_emu_barrier {
    uint32_t expected;       // threads, 0: all
    uint32_t arrived;        // threads, warps counted whole
    uint32_t lanes[32];      // a warp: lanes that arrived
    uint32_t bits, votes;    // bar.red
    bool used;
};

struct ks_emu_block {
    struct ks_emu_grid *grid;
    struct ks_emu_warp *warps; uint32_t n_warps;
    uint32_t index[3], linear;
    bool live;
    unsigned char *shared, *shared_known;
    struct ks_emu_cell *shared_cells;
    struct ks_emu_barrier barriers[KS_EMU_BARRIERS];
    struct ks_emu_spot *spots; uint32_t n_spots, spot_size; // emu_race.c
    struct ks_emu_mbarrier *mbarriers; uint32_t n_mbarriers;
    struct ks_emu_arrival *arrivals; uint32_t n_arrivals;
    uint32_t turns, in_vain;    // emu_mbarrier.c
    struct ks_emu_clock clock;  // emu_race.h
    uint32_t alive;             // threads
};

// Where a shared variable lies in a block's storage.
struct ks_emu_window {
    uint32_t offset, bytes;  // bytes 0: not this kernel's
    const struct ks_emu_var *var;
};

struct ks_emu_options {
    uint64_t seed;           // 0: blocks, warps in order; else the schedule it stands for
    uint64_t budget;         // steps, 0: without end
    uint64_t most;           // 0, or as many in all, of which `budget` until a block ends
    bool serial;             // no block is begun before the one before it has ended
    bool races, strict_races;
    bool undefined;          // what nothing was written to may be read
    uint32_t cores;          // that blocks may run on, emu_team.h
    FILE *print;             // for printf in kernels; NULL: not supported
};

struct ks_emu_grid {
    struct ks_emu_memory *memory;
    const struct ks_emu_module *module;
    const struct ks_emu_function *entry;
    struct ks_emu_options options;
    uint32_t grid[3], block[3], threads;
    uint64_t n_blocks;
    const unsigned char *params; uint64_t param_bytes;
    bool *reached;           // functions that the entry calls, or whose address it can have, by number
    const struct ks_emu_window *system; // the one that is zero when a block begins, or NULL
    struct ks_emu_window *windows; uint32_t n_windows; // by shared address >> window bits
    uint32_t shared_bytes, dynamic_shared;
    struct ks_emu_findings *findings;
    bool stop;               // no lane runs on
    uint64_t executed;       // thread instructions
    uint64_t ended;          // how many steps there were when a block ended last
    uint64_t steps;          // what a run takes: instructions of warps, whatever lanes are on, and what those cost beside
    uint64_t accesses;       // loads, stores and atomics of lanes, element by element
    uint64_t sequence;       // deterministic clock
    struct ks_rng rng;
    struct ks_emu_sync *sync; // emu_race.h: published writes
    struct ks_emu_events events;
    struct ks_emu_counter *counter; // emu_count.h, or NULL
    uint64_t samples, sample_insts; // blocks that run, spread over the grid; no more are begun after so
                             // many thread instructions; 0: all
    struct ks_emu_block *blocks; uint32_t n_resident, max_resident;
    bool apart;              // no block of this kernel can tell when another one runs
    uint32_t group;          // blocks that run side by side then
    struct ks_emu_team *team; // several cores are at it
    bool shared_out, gave_up; // by several cores; what they did was thrown away
};

#define KS_EMU_REG(type, offset) ((type *)(void *)(warp->regs + (offset)))

// Runs one kernel launch to its end, or to what stops it. Findings are added to `grid->findings`.
enum ks_status ks_emu_run_grid(struct ks_emu_grid *grid, struct ks_err *err);

// emu_grid.c: blocks [number * group, ...) of a grid whose blocks are apart, to their end; false: they
// take so long that they may wait for others.
bool ks_emu_run_group(struct ks_emu_grid *grid, uint64_t number);
void ks_emu_close_blocks(struct ks_emu_grid *grid, uint32_t n);

// Bytes of static shared memory that the entry and what it calls need.
uint32_t ks_emu_shared_static(const struct ks_emu_module *module,
                              const struct ks_emu_function *entry);

// emu_warp.c: runs the warp's groups until none is ready or the slice ends. Returns whether it did
// anything.
bool ks_emu_warp_run(struct ks_emu_warp *warp, uint32_t slice);

// emu_frame.c: activations of functions; freed ones are kept for the next of the same function.
void ks_emu_warp_start(struct ks_emu_warp *warp, struct ks_emu_block *block, uint32_t index,
                       uint32_t lanes);
struct ks_emu_frame *ks_emu_frame_make(struct ks_emu_warp *warp,
                                       const struct ks_emu_function *function,
                                       struct ks_emu_frame *parent, uint32_t lanes);
void ks_emu_frame_recycle(struct ks_emu_warp *warp, struct ks_emu_frame *frame);
// Lanes that have left an activation, or moved to another one.
void ks_emu_frame_leave(struct ks_emu_warp *warp, struct ks_emu_frame *frame, uint32_t lanes);
// Two activations of a function by the same call, made by lanes that were apart then: those of `from` go over to
// `to`, in their callers too. False, and nothing is changed: they are not such.
bool ks_emu_frame_join(struct ks_emu_warp *warp, struct ks_emu_frame *to, struct ks_emu_frame *from, uint32_t lanes);
// Special registers of an activation, and those that count (the clocks).
void ks_emu_specials_set(struct ks_emu_warp *warp, struct ks_emu_frame *frame);
void ks_emu_specials_tick(struct ks_emu_warp *warp);
void ks_emu_warp_free(struct ks_emu_warp *warp);
// emu_barrier.c: the group has come to the barrier of `inst`; false: it need not wait.
bool ks_emu_barrier_arrive(struct ks_emu_warp *warp, struct ks_emu_group *group,
                           const struct ks_emu_inst *inst);
// Releases barriers that are complete now, after an arrival or an exit.
void ks_emu_barrier_check(struct ks_emu_block *block);

// emu_mbarrier.c: after each turn of a block that has some: finds those that nobody completes.
void ks_emu_mbarrier_turn(struct ks_emu_block *block);
// emu_copy.c: makes those of a lane that were begun before that many others.
void ks_emu_copies_finish(struct ks_emu_warp *warp, uint32_t lane, uint64_t before);

// emu_access.c: host memory behind an access of one lane, checked and charged as a step; NULL after a finding. `bytes` is
// a power of two up to 16.
enum ks_emu_access { KS_EMU_READ, KS_EMU_WRITE, KS_EMU_ATOMIC };
unsigned char *ks_emu_touch(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane,
                            uint64_t address, uint32_t bytes, enum ks_emu_access access,
                            const void *value);

// The same in another space than the instruction's.
unsigned char *ks_emu_touch_as(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                               enum ks_emu_space space, uint32_t lane, uint64_t address,
                               uint32_t bytes, enum ks_emu_access access, const void *value);

// Bytes of shared or local memory, just written by that lane, are undefined again.
void ks_emu_undefine(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane,
                     uint64_t address, uint32_t bytes);

// The accesses of one load or store: in which object they lie is found out for the first lane, and
// holds for all that stay in it. Others are checked each by itself. Who makes one charges for all of them.
struct ks_emu_visit {
    uint64_t start, bytes;   // of the object; bytes 0: none is known
    unsigned char *data, *known;
    struct ks_emu_cell *cells;
    const struct ks_emu_region *region; // in global memory
    unsigned lead;           // what known and cells count more
    enum ks_emu_access how;
    struct ks_emu_race_access access;
};
struct ks_emu_visit ks_emu_visit(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                                 uint32_t lane, uint64_t address, enum ks_emu_access how);
// As ks_emu_touch.
unsigned char *ks_emu_visit_at(struct ks_emu_visit *visit, uint32_t lane, uint64_t address,
                               const void *value);

// How many lanes there are in a mask. All of them, mostly; without an instruction for it counting takes a call.
static inline uint64_t ks_emu_n_lanes(uint32_t mask)
{
    return mask == UINT32_MAX ? KS_EMU_LANES : (uint64_t)__builtin_popcount(mask);
}

// What an instruction costs beside its own step, in steps: one is some 50 ns, an instruction without it 20 to 90.
static inline void ks_emu_charge(struct ks_emu_warp *warp, uint64_t steps)
{
    warp->grid->steps += steps;
}

static inline uint32_t ks_emu_thread(const struct ks_emu_warp *warp, uint32_t lane)
{
    return warp->index * KS_EMU_LANES + lane;
}

#endif
