// Counting while a grid runs: instructions, memory transactions, waits. Private to driver/device/emu.
//
// Sectors are of 32 bytes, wavefronts of 128 (CUDA C++ programming guide, "Global Memory"; shared memory
// has 32 banks of 4 bytes). L1 is modelled a block: its share of an SM's, 128-byte lines of four
// sectors, four ways, least recently used; stores go through it (measured on an H200: device.md 4).
#ifndef KS_EMU_COUNT_H
#define KS_EMU_COUNT_H

#include "device/counts.h"
#include "device/emu/emu_exec.h"

struct ks_emu_tally {              // of one instruction
    uint64_t warps, lanes;         // executions; lanes whose guard held
    uint64_t requests, bytes, sectors, wavefronts; // of memory; sectors outside of shared memory
    uint64_t misses, conflicts, collisions, divergent;
};

struct ks_emu_counter {
    struct ks_emu_tally *at;       // by instruction of the module
    uint64_t waits, partial;
    uint64_t blocks, sampled;
    uint32_t l1_bytes;             // a block's share
    uint32_t *tags;                // of the block that runs: line numbers, ways side by side
    uint8_t *valid, *age;          // sectors there; 0: used last
    uint32_t sets;
    double matrix_flops;
};

struct ks_emu_counter *ks_emu_counter_make(const struct ks_emu_module *module, uint32_t l1_bytes);
// Another one like it, at zero; and what it counted.
struct ks_emu_counter *ks_emu_counter_again(const struct ks_emu_counter *like,
                                            const struct ks_emu_module *module);
void ks_emu_counter_add(struct ks_emu_counter *to, const struct ks_emu_counter *from,
                        const struct ks_emu_module *module);
void ks_emu_counter_free(struct ks_emu_counter *counter);
// Another block begins: nothing is in its cache.
void ks_emu_counter_block(struct ks_emu_counter *counter);
void ks_emu_count_inst(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask);
// A load, store or atomic of the lanes of `mask`, before it is made.
void ks_emu_count_access(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask,
                         enum ks_emu_access access);
// The same with addresses of the caller's.
void ks_emu_count_lanes(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask,
                        enum ks_emu_space space, const uint64_t *addresses, uint32_t bytes,
                        enum ks_emu_access access);
// What the loads since the last wait found missing is waited for now.
void ks_emu_count_wait(struct ks_emu_warp *warp);
void ks_emu_count_divergence(struct ks_emu_warp *warp, const struct ks_emu_inst *inst);
// Sums over the code, scaled to the grid.
void ks_emu_counter_sum(const struct ks_emu_counter *counter, const struct ks_emu_module *module,
                        struct ks_counts *out);
enum ks_class ks_emu_class_of(struct ks_slice base, const struct ks_slice *mods, unsigned n_mods,
                              enum ks_emu_space space);

#endif
