// What one launch costs, counted: the emulated device counts, verify passes it on, device/model.h makes a
// time of it. Numbers are of the whole grid; where only some blocks ran they are scaled up.
#ifndef KS_COUNTS_H
#define KS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "fmt/json.h"

// Classes of instructions, by the pipe that they keep busy.
enum ks_class {
    KS_CLASS_FP32, KS_CLASS_FP64, KS_CLASS_FP16, KS_CLASS_INT, KS_CLASS_SPECIAL, KS_CLASS_MATRIX,
    KS_CLASS_GLOBAL, KS_CLASS_SHARED, KS_CLASS_LOCAL, KS_CLASS_ATOMIC, KS_CLASS_CONTROL,
    KS_CLASS_MOVE, KS_CLASSES,
};
const char *ks_class_name(enum ks_class which); // "fp32", ...

struct ks_counts {
    double blocks, sampled;           // of the grid; that ran
    int threads;                      // of a block
    int shared_bytes, registers;      // of a block; of a thread, 0: unknown
    double warp_insts[KS_CLASSES];    // issued
    double thread_insts[KS_CLASSES];  // lanes whose guard held
    double matrix_flops;
    double global_requests, global_bytes, global_wavefronts; // loads, stores and atomics of warps
    double read_sectors;              // of 32 bytes, that L1 did not have
    double write_sectors, partial_sectors; // written; of them those written in part
    double shared_requests, shared_wavefronts; // wavefronts above requests' own are bank conflicts
    double shared_conflicts;
    double atomic_lanes, atomic_collisions;    // lanes; those whose warp hit the address before
    double divergent_branches, branches;
    double waits;                     // of a warp, for loads that L1 did not have
};

json_t *ks_counts_json(const struct ks_counts *counts);
// false: it is none.
bool ks_counts_read(const json_t *json, struct ks_counts *counts);
// Lanes that did something, of 32, over all instructions.
double ks_counts_lanes(const struct ks_counts *counts);

#endif
