// Profiles of the original kernel: counters read by ks-probe (a separate program, the only one that
// touches CUPTI), or counted on the emulated device, turned into facts, a bottleneck class and the distance
// from the ceilings of the card.
#ifndef KS_PROFILE_H
#define KS_PROFILE_H

#include "device/device.h"
#include "device/model.h"
#include "key/tu.h"
#include "memory/skill.h"
#include "workload/problem.h"

// Why something is missing that is no fault of the kernel (docs/profile.md); code "" where nothing is.
struct ks_profile_refusal {
    const char *code, *text;
};

// What one launch takes of an SM. -1: not known.
struct ks_resources {
    int registers;          // a thread
    int static_shared;      // bytes of a block
    int64_t dynamic_shared;
    int frame;              // bytes of local memory a thread: spills, and arrays that are no registers
    int spill_stores, spill_loads; // bytes, as ptxas counts them
    int threads;            // of a block
    bool placed;            // the rest is known
    struct ks_occupancy occupancy;
};

// A line of the user's text that takes time.
struct ks_hot_line {
    const char *file;       // NULL: the code says none, and `line` is 0
    int line;
    double pct;             // of all samples; on the emulated device of the warps' instructions and sectors
    const char *why;        // what warps wait for there; on the emulated device what it costs
    double sectors;      // a request, of lines of a kernel that the emulated device ran; else 0
    double shared, conflict_pct; // the same: wavefronts of shared memory, and how many of them are for bank conflicts
};
struct ks_hot_lines {
    struct ks_hot_line *at;
    size_t len, cap;
};

// What the launch of a short kernel costs whatever it computes. Timed in pairs, as the judge times, against a launch
// of our own that reads the largest array that the kernel reads, writes the largest that it writes, and does
// nothing else: less than any variant must do, for each launches once at least and moves both.
struct ks_profile_floor {
    double original_us, least_us; // medians; 0: not known
    double gain_us, ratio;        // of such a launch over the original, upper bounds: no variant can gain more
};

struct ks_profile {
    const char *method;     // "range profiler", "activity", "timing" when counters are refused, or "model"
    struct ks_profile_refusal refused, lines_refused; // why counters were not read; why there are no lines
    const char *chip;       // "GH100", "" where it is not known
    const char *gpu;        // name of the GPU, or of the one that was modelled; "": none could be
    bool modelled;          // nothing here was measured
    int passes;
    double time_us;
    struct ks_fact_list facts;   // short names: dram_pct, sectors_per_request_st, registers, ...
    struct ks_resources resources;
    struct ks_hot_lines lines;
    const char *bottleneck; // "dram-bandwidth", "uncoalesced", "latency", "compute", "shared-conflicts",
                            // "issue", "atomics", "local-memory", "launch", "unknown"
    const char *evidence;   // the numbers that say so, one line
    double copy_gbs, fma_gflops;  // ceilings measured on this card (described, where modelled)
    double achieved_gbs;    // over compulsory traffic; 0 unknown
    bool moves_arrays;      // counters show that it moves its largest arrays whole: it may use a part of them
    double roofline_pct;    // time at the nearer ceiling over time measured, percent; 0 unknown
    struct ks_profile_floor floor; // of a kernel so short that its launch counts
    json_t *json;           // the same for --json (docs/json.md, ks.profile); the caller's to json_decref
};

// A compiled proposal in the original's place: machine code (PTX for the emulated device) and the registered names of
// its kernels, by position. The heaviest launch of its plan stands for it.
struct ks_profile_variant {
    const struct ks_proposal *proposal;
    struct ks_slice image;
    const char *const *names;
};

// What is profiled, and how. `config` says where: on a GPU (KS_DEVICE's launcher included), or on the
// emulated device, where nothing is measured.
struct ks_profile_ask {
    const struct ks_config *config;
    const struct ks_tu *tu;
    const struct ks_tu_compile *plain;     // with --resource-usage spills are known, with -lineinfo lines
    const struct ks_tu_kernel *kernel;
    const struct ks_problem *problem;
    const struct ks_profile_variant *variant; // NULL: the original
    bool lines;                            // hot lines, which take another process on a GPU, about a second
};

// Takes the GPU's lock while it measures. KS_E_DEVICE or KS_E_CHILD when not even timing worked: with
// *fault the kernel itself is at fault, else the machine or this program. Refused counters are no failure.
// KS_E_UNSUPPORTED: the variant does not take the problem.
enum ks_status ks_profile_run(struct ks_arena *arena, const struct ks_profile_ask *ask,
                              struct ks_profile *profile, bool *fault, struct ks_err *err);

// Percent of what this card reaches: of the nearer ceiling, or of the least that a launch takes. 0: unknown.
double ks_profile_share(const struct ks_profile *profile);
// The same of what moves the kernel's arrays alone, by which any variant is bound: copying them, or the least launch. 0 also where
// counters do not show that it moves them.
double ks_profile_memory_share(const struct ks_profile *profile);

// The page a person can act on: time, ceilings, class with the counters that say so, resources, lines.
void ks_profile_print(struct ks_buf *out, const struct ks_profile *profile);

// Bottleneck class and its evidence from facts alone (no device): what ks_profile_run uses last.
void ks_profile_classify(struct ks_arena *arena, struct ks_profile *profile);

#endif
