// A described GPU (devices/*.yaml), and the time that a roofline of it gives a launch: the slowest of its
// pipes, its memory and its latency under the occupancy that registers and shared memory leave. Good
// for an order of candidates, never a measurement: whatever prints it says "modelled".
#ifndef KS_MODEL_H
#define KS_MODEL_H

#include "device/counts.h"

struct ks_gpu {
    const char *name;          // "NVIDIA H200"
    int arch, sms;
    double clock_mhz;
    double dram_gbs;           // what a copy reaches, read and written
    double latency_ns;         // of a load from memory, under load
    double partial_sectors_us; // sectors that L2 takes written in part, 0: not known
    double matrix_tflops;      // of mma.sync on 16-bit types
    double fp64_lanes, int_lanes, special_lanes, fp32_lanes; // a clock and SM
    double launch_us;          // of an empty kernel in a graph
    int threads_sm, blocks_sm, regs_sm, shared_sm;
};

// Reads a description. KS_E_USER with file:line for a key that is missing, unknown or no number.
enum ks_status ks_gpu_read(struct ks_arena *arena, const char *path, struct ks_gpu *gpu,
                           struct ks_err *err);
// The one for an architecture in a folder, the first by name; KS_E_ABSENT where there is none.
enum ks_status ks_gpu_find(struct ks_arena *arena, const char *dir, int arch, struct ks_gpu *gpu,
                           struct ks_err *err);

enum { KS_FIT_THREADS, KS_FIT_BLOCKS, KS_FIT_REGISTERS, KS_FIT_SHARED, KS_FITS };
struct ks_occupancy {
    int blocks;                // an SM
    int fits[KS_FITS];         // blocks that each resource alone would let it hold
    double part;               // of the threads that it can hold
    const char *limit;         // "threads", "blocks", "registers", "shared memory"
};
struct ks_occupancy ks_gpu_occupancy(const struct ks_gpu *gpu, const struct ks_counts *counts);

struct ks_model {
    double us;
    const char *limit;         // what takes longest: "memory", "latency", "issue", "fp32", ...
    struct ks_occupancy occupancy;
};
// `traffic`: bytes that must pass memory at least once (workload/problem.h); sectors fetched again are
// taken to be in L2.
struct ks_model ks_model_launch(const struct ks_gpu *gpu, const struct ks_counts *counts,
                                double traffic);

#endif
